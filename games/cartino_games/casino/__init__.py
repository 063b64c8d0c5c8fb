"""Casino, the Danish card game (kortspil): rules, view, bots and how a play is typed."""
