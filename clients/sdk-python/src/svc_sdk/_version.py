"""The version of this package, which is that of the product."""

VERSION = "0.10.0"
