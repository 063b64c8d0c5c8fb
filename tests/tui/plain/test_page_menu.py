"""Pages in plain mode: rows by number, actions by number, word or letter, and the way back; in `page_menu.txt`."""

from tests.support.talk_script import talks

test_talks = talks(__file__)
