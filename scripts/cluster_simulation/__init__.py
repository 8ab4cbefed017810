"""What limits a run of games on very many workers: a simulation, as nobody has so many at hand."""
