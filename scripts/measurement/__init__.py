"""What is measured of bot, engines, judge and pages: `scripts/measure`, a module for each of its words."""
