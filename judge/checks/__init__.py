"""What a player is put through before it is uploaded."""
