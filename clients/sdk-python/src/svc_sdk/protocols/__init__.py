# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""Models and methods of every protocol of the catalogue."""
