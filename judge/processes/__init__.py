"""One supervisor for bots: it starts them, exchanges bytes with them, measures them, stops and resumes them, ends them.

Each bot has a **keeper** (keeper.py), a small program that starts and ends it; start.py is the judge's side of the
keeper. All that the bot starts is below its **root**, also what has lost its parents: without a sandbox the root is the
keeper, the "subreaper" of all below, in a sandbox it is the first process there, with which the kernel ends all others.

* Start: `BotProcess` (process.py) makes three pipes and asks a keeper to start the command. In a sandbox it is
  bubblewrap's command (bubblewrap.py) around the bot's own; folders.py makes private copies of a bot's folder, and
  installations.py says what is shown of a home.
* Exchange: `send()` writes, `pump()` waits until a deadline for whatever comes, also for the keeper's report that the
  bot has ended.
* Usage (usage.py): CPU time and memory of all processes below the root, and how long each thread waited for a core, as
  the kernel counts them.
* Freeze and thaw (freezing.py): SIGSTOP and SIGCONT to all below the root.
* End: `end_all()` closes stdin, sends SIGTERM, and after a moment the keeper kills all that is left, daemons too, until
  nothing is. A keeper then serves another bot.

If the judge ends, however it does, its sockets to the keepers close, and each keeper ends all below it. descendants.py
ends other programs of a command that is stopped, such as git.
"""
