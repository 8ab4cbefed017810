"""The page of the documentation that tells more of each command than its --help; a translation is another page."""

from judge.language import marked

OVERVIEW = marked("README.md")
# As paths from the repository's root: who has installed a wheel finds them there too.
PAGES = {
    "play": marked("docs/players.md"),
    "match": marked("docs/matches.md"),
    "sprt": marked("docs/matches.md"),
    "batch": marked("docs/matches.md"),
    "tournament": marked("docs/tournament.md"),
    "check": marked("docs/submit.md"),
    "human": marked("docs/bot.md"),
    "connect": marked("docs/judger.md"),
    "logic": marked("docs/judger.md"),
    "serve": marked("docs/serve.md"),
    "replay": marked("docs/records.md"),
    "view": marked("docs/view.md"),
    "review": marked("docs/review.md"),
    "repro": marked("docs/losses.md"),
    "import": marked("docs/import.md"),
    "export": marked("docs/import.md"),
    "elo": marked("docs/matches.md"),
    "llr": marked("docs/matches.md"),
    "doctor": marked("docs/install.md"),
    "completion": marked("docs/install.md"),
}
