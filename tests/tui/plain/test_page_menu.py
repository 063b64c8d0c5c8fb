"""Pages in plain mode: rows by number, the page's actions by number, word or letter, and the way back."""

from cartino_protocol import accounts
from cartino_protocol.commands import Decline, History, Ignore, Join, Leaders, Profile, Replay
from cartino_protocol.deals import Daily, DealView, League, PlayDaily
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Bye, HistoryView, LeadersView
from tests.support.past import past
from tests.support.people import BOTS, LEADERS, profile
from tests.support.plain import Talk

STILL_HERE = "You're in the lobby. An empty line repeats the choices."
KEY, OTHER_KEY = "SHA256:" + "d" * 43, "SHA256:" + "e" * 43


def test_ratings_are_rows_that_lead_to_profiles() -> None:
    talk = Talk()
    assert talk.sends("ratings") == Leaders()
    assert talk.hears(LeadersView("caro", LEADERS, BOTS, LEADERS[1])) == [
        "Ratings of Caro.",
        "For another game, type ratings and its name: toy.",
        "A number: show the selected player's profile.",
        "1: Rank 1: Zoé, rating 1400, 12 rated games.",
        "2: Rank 2: Ann, rating 1210, 3 rated games, provisional.",
        "3: Rank 3: Bo, rating 950, 2 rated games, provisional.",
        "Bots are rated separately.",
        "4: Rank 1: bot greedy, rating 1300, 40 rated games.",
        "Your rank: 2, rating 1210.",
        "5: show your profile",
        "6: show a player's profile, by name",
        "0: back",
    ]
    assert talk.sends("1") == Profile(player=LEADERS[0].player)
    assert talk.hears(profile("Zoé", 3))[0] == "Zoé"
    assert talk.sends("v Bo") == Profile(player=3, against="Bo")
    assert talk.hears(profile("Zoé", 3))[0] == "There is no player called Bo to compare with."
    talk.hears(Refusal("unknown-person", "Bo", to="Profile"))
    assert talk.types("0")[0] == "Ratings of Caro.", "one page back"
    assert talk.types("0") == [STILL_HERE]
    assert talk.types("2")[0].startswith("No tables are open"), "numbers are the lobby's again"


def test_the_list_of_games_is_told_in_portions_and_asked_for_further() -> None:
    talk = Talk()
    assert talk.sends("history") == History("all")
    told = talk.hears(HistoryView("all", "", tuple(past(n) for n in range(20, 8, -1)), more=True))
    assert (told[0], told[1]) == ("Finished games, latest 12.", "A number: replay the game step by step.")
    assert "10: older" in told
    told = talk.types("older")
    assert told[3].startswith("1: K7QP-11")
    assert talk.sends("older") == History("all", "", 9)
    told = talk.hears(HistoryView("all", "", (past(8), past(7)), more=False))
    assert told[3].startswith("1: K7QP-8")
    assert "3: older" not in told
    assert talk.sends("1") == Replay("K7QP-8")
    assert talk.sends("mine") == History("mine")
    assert talk.hears(HistoryView("mine", "", (past(5),), more=False))[3].startswith("1: K7QP-5")
    talk.hears(HistoryView("mine", "", (past(6),), more=True))
    talk.types("older")
    talk.hears(Refusal("busy", to="History"))
    talk.types("all")
    assert "2: K7QP-6" not in "".join(talk.hears(HistoryView("all", "", (past(4),), more=False)))
    assert talk.sends("p Bo") == History("player", "Bo")
    assert talk.hears(HistoryView("player", "Bo", (), more=False))[0] == "No finished games here."


def test_keys_are_added_and_dropped_by_their_page() -> None:
    talk = Talk()
    assert talk.sends("keys") == accounts.Keys()
    assert talk.hears(accounts.KeysView((accounts.KeyLine(KEY, here=True),)))[0] == f"{KEY}, in use here"
    assert talk.sends("code") == accounts.KeyCode()
    both = (accounts.KeyLine(KEY, here=True), accounts.KeyLine(OTHER_KEY))
    told = talk.hears(accounts.KeysView(both, "code", "K7QPM-3XW9T", 10))
    assert told[:2] == [
        "Within 10 minutes, connect with the other key and type this once:",
        "ssh host keys add K7QPM-3XW9T",
    ]
    assert talk.types("drop 2")[0] == "Remove this key? It will no longer give access to your account."
    assert talk.types("no") == ["Nothing was changed."]
    talk.types("drop 2")
    assert talk.sends("yes") == accounts.DropKey(OTHER_KEY)
    talk.hears(accounts.KeysView((accounts.KeyLine(KEY, here=True),), "dropped"))
    assert talk.sends("add k7qpm 3xw9t") == accounts.AddKey("k7qpm 3xw9t")
    assert "Invalid or expired code" in talk.hears(Refusal("bad-code", to="AddKey"))[0]
    assert "The key you connected with was removed" in talk.hears(Bye("key"))[-1]


def test_without_accounts_the_keys_say_so() -> None:
    told = Talk(commands="").types("keys")
    assert told == ["There are no SSH keys here: this server runs on your own computer."]


def test_an_account_is_deleted_with_ones_name() -> None:
    talk = Talk()
    assert talk.sends("account") == accounts.Account()
    told = talk.hears(accounts.AccountView("ann", keys=(KEY,), games=2))
    assert told[:2] == ["Name: ann, kept for a year after your last visit", f"Keys: {KEY}"]
    assert talk.types("1") == [
        "Type your name to delete your account permanently",
        "An empty line goes back.",
    ]
    assert talk.sends("ann") == accounts.DeleteAccount("ann")
    talk = Talk()
    talk.types("account")
    assert "except your resume code" in talk.hears(accounts.AccountView("~gus", guest=True))[0]


def test_the_daily_s_page_leads_to_the_game_other_days_and_leagues() -> None:
    talk = Talk()
    talk.types("results")
    talk.hears(DealView("caro", {}, ("greedy",), "2026-02-04T00:00:00Z", True, "ab" * 32, 34))
    assert talk.sends("league") == League()
    assert talk.sends("3") == Daily("toy")
    assert talk.sends("play") == PlayDaily("caro")


def test_live_pages_follow_what_the_client_knows() -> None:
    talk = Talk()
    nobody = ["You haven't muted anyone. Type ignore and a name to mute someone.", "1: mute someone by name"]
    assert talk.types("ignored") == [*nobody, "0: back"]
    talk.hears(accounts.Ignored((accounts.IgnoredPerson("eve-mark", "Eve"),)))
    assert "1: Eve." in talk.types("")
    assert talk.sends("unignore 1") == Ignore("eve-mark", "Eve", on=False)
    talk.hears(accounts.Ignored(()))
    assert talk.types("invitations")[1:] == [STILL_HERE], "nothing can be done there"
    talk.hears(accounts.Invitations((accounts.Invitation("K7QP", "Bo", "caro"),)))
    assert "1: Bo invites you to K7QP: Caro." in talk.types("i")
    assert talk.sends("decline 1") == Decline("K7QP")
    assert talk.sends("K7QP") == Join("K7QP")
