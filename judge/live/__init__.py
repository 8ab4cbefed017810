"""Games as they are played: a file of events beside the record file while a run goes on, and whoever follows both."""
