//! The units, one row each, and conversion between two of them.

use serde::{Deserialize, Serialize};

/// What a unit measures. Only units of one quantity convert into each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    Length,
    Mass,
    Temperature,
    Duration,
    Volume,
}

/// A value in the unit times `scale`, plus `offset`, is the value in the quantity's base unit.
#[derive(Debug, PartialEq, Serialize)]
pub struct Unit {
    pub unit: &'static str,
    pub name: &'static str,
    pub quantity: Quantity,
    #[serde(skip)]
    scale: f64,
    #[serde(skip)]
    offset: f64,
}

const fn unit(unit: &'static str, name: &'static str, quantity: Quantity, scale: f64) -> Unit {
    Unit { unit, name, quantity, scale, offset: 0.0 }
}

const fn degrees(symbol: &'static str, name: &'static str, scale: f64, offset: f64) -> Unit {
    Unit { offset, ..unit(symbol, name, Quantity::Temperature, scale) }
}

use Quantity::{Duration, Length, Mass, Volume};

pub const UNITS: [Unit; 26] = [
    unit("m", "metre", Length, 1.0),
    unit("km", "kilometre", Length, 1000.0),
    unit("cm", "centimetre", Length, 0.01),
    unit("mm", "millimetre", Length, 0.001),
    unit("mi", "mile", Length, 1609.344),
    unit("nmi", "nautical mile", Length, 1852.0),
    unit("yd", "yard", Length, 0.9144),
    unit("ft", "foot", Length, 0.3048),
    unit("in", "inch", Length, 0.0254),
    unit("kg", "kilogram", Mass, 1.0),
    unit("g", "gram", Mass, 0.001),
    unit("t", "tonne", Mass, 1000.0),
    unit("lb", "pound", Mass, 0.45359237),
    unit("oz", "ounce", Mass, 0.028349523125),
    degrees("K", "kelvin", 1.0, 0.0),
    degrees("degC", "degree Celsius", 1.0, 273.15),
    degrees("degF", "degree Fahrenheit", 5.0 / 9.0, 459.67 * 5.0 / 9.0),
    unit("s", "second", Duration, 1.0),
    unit("min", "minute", Duration, 60.0),
    unit("h", "hour", Duration, 3600.0),
    unit("d", "day", Duration, 86_400.0),
    unit("L", "litre", Volume, 1.0),
    unit("mL", "millilitre", Volume, 0.001),
    unit("m3", "cubic metre", Volume, 1000.0),
    unit("gal", "US gallon", Volume, 3.785411784),
    unit("pt", "US pint", Volume, 0.473176473),
];

pub fn find(symbol: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|known| known.unit == symbol)
}

impl Unit {
    /// The caller must have checked that both have the same quantity.
    pub fn convert(&self, value: f64, to: &Unit, digits: usize) -> f64 {
        round((value * self.scale + self.offset - to.offset) / to.scale, digits)
    }
}

/// Rounds to this many significant digits, to drop binary rounding errors.
fn round(value: f64, digits: usize) -> f64 {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    text.parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(value: f64, from: &str, to: &str) -> f64 {
        let (from, to) = (find(from).expect(from), find(to).expect(to));
        from.convert(value, to, 12)
    }

    #[test]
    fn measures_are_what_everybody_knows() {
        assert_eq!(converted(26.2, "mi", "km"), 42.1648128);
        assert_eq!(converted(100.0, "degC", "degF"), 212.0);
        assert_eq!(converted(-40.0, "degF", "degC"), -40.0);
        assert_eq!(converted(0.0, "K", "degC"), -273.15);
        assert_eq!(converted(3.0, "ft", "yd"), 1.0);
        assert_eq!(converted(1.0, "gal", "L"), 3.785411784);
    }

    #[test]
    fn there_and_back_is_where_it_began() {
        for from in &UNITS {
            for to in UNITS.iter().filter(|to| to.quantity == from.quantity) {
                let back = to.convert(from.convert(12.5, to, 15), from, 12);
                assert_eq!(back, 12.5, "{} to {} and back", from.unit, to.unit);
            }
        }
    }

    #[test]
    fn no_symbol_is_used_twice() {
        for known in &UNITS {
            assert_eq!(find(known.unit), Some(known));
        }
    }
}
