"""Readers and writers for the game logs of other programs, one module for each format. Games read are judged again."""
