"""The tests of the course: a package, so that no other package named tests comes in between."""
