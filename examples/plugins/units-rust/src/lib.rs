//! UNITS: a small protocol that uses everything a plugin host offers.

mod units;

use serde::{Deserialize, Serialize};
use serde_json::json;
use svc_plugin::{Context, Level, Refusal};
use units::{Quantity, UNITS, Unit};

svc_plugin::plugin! {
    /// Converts values from one unit to another.
    pub Units { convert, convert_series, list_units, certify }
}

/// An f64 has fifteen reliable digits; three fewer hide rounding errors.
const DIGITS_DEFAULT: usize = 12;
const DIGITS_MAX: usize = 15;
const PROGRESS_STEP: usize = 250;

/// The operator's configuration.
#[derive(Deserialize)]
struct Settings {
    significant_digits: Option<usize>,
}

#[derive(Deserialize)]
struct Convert {
    value: f64,
    from: String,
    to: String,
}

#[derive(Serialize)]
struct Converted {
    value: f64,
    unit: &'static str,
    quantity: Quantity,
}

fn convert(input: Convert, context: &Context) -> Result<Converted, Refusal> {
    let (from, to) = pair(&input.from, &input.to)?;
    let value = measure(input.value, from, to, digits(context)?)?;
    context.log(Level::Debug, &format!("converted {} to {}", from.unit, to.unit));
    Ok(Converted { value, unit: to.unit, quantity: to.quantity })
}

#[derive(Deserialize)]
struct ConvertSeries {
    values: Vec<f64>,
    from: String,
    to: String,
}

#[derive(Serialize)]
struct ConvertedSeries {
    values: Vec<f64>,
    unit: &'static str,
    quantity: Quantity,
}

fn convert_series(input: ConvertSeries, context: &Context) -> Result<ConvertedSeries, Refusal> {
    let (from, to) = pair(&input.from, &input.to)?;
    let digits = digits(context)?;
    let mut values = Vec::with_capacity(input.values.len());
    for part in input.values.chunks(PROGRESS_STEP) {
        for value in part {
            values.push(measure(*value, from, to, digits)?);
        }
        let fraction = values.len() as f64 / input.values.len() as f64;
        let message = format!("{} values are converted", values.len());
        context.progress(&message, Some(fraction));
    }
    let meta = json!({ "from": from.unit, "to": to.unit, "count": values.len() });
    context.audit("custom.units_series_converted", &meta)?;
    Ok(ConvertedSeries { values, unit: to.unit, quantity: to.quantity })
}

#[derive(Deserialize)]
struct ListUnits {
    quantity: Option<Quantity>,
}

#[derive(Serialize)]
struct Listed {
    units: Vec<&'static Unit>,
}

fn list_units(input: ListUnits, _context: &Context) -> Result<Listed, Refusal> {
    let wanted = |unit: &&Unit| input.quantity.is_none_or(|quantity| unit.quantity == quantity);
    let units = UNITS.iter().filter(wanted).collect();
    Ok(Listed { units })
}

/// The conversion's place in the audit log.
#[derive(Deserialize)]
struct Entry {
    seq: u64,
    record_hash: String,
}

#[derive(Serialize)]
struct Certified {
    value: f64,
    unit: &'static str,
    seq: u64,
    record_hash: String,
}

fn certify(input: Convert, context: &Context) -> Result<Certified, Refusal> {
    let (value, from) = (input.value, input.from.clone());
    let converted = convert(input, context)?;
    let caller = context.invocation.identity();
    let meta = json!({
        "value": value, "from": from, "converted": converted.value, "to": converted.unit,
        "answers_for": caller.effective_root_did(), "by": caller.entity_kind,
    });
    let entry: Entry = context.call(
        "MAX",
        "audit_log_entry",
        &json!({ "event_type": "custom.units_certified", "meta": meta }),
    )?;
    Ok(Certified {
        value: converted.value,
        unit: converted.unit,
        seq: entry.seq,
        record_hash: entry.record_hash,
    })
}

fn pair(from: &str, to: &str) -> Result<(&'static Unit, &'static Unit), Refusal> {
    let (from, to) = (named(from)?, named(to)?);
    if from.quantity == to.quantity {
        return Ok((from, to));
    }
    let message = format!(
        "A {} is no measure of what a {} measures; choose two units of one quantity.",
        from.name, to.name
    );
    Err(Refusal::policy_denied(message).with_reason("different quantities"))
}

fn measure(value: f64, from: &Unit, to: &Unit, digits: usize) -> Result<f64, Refusal> {
    let converted = from.convert(value, to, digits);
    if converted.is_finite() {
        return Ok(converted);
    }
    let message =
        format!("{value} {} is more {} than a number can say; ask for a larger unit.", from.unit, to.unit);
    Err(Refusal::invalid_payload(message).with_reason("number too large"))
}

fn named(symbol: &str) -> Result<&'static Unit, Refusal> {
    units::find(symbol).ok_or_else(|| {
        let message = format!("No unit has the symbol {symbol}; list_units names all there are.");
        Refusal::not_found(message).with_reason("unknown unit").with_details(json!({ "unit": symbol }))
    })
}

fn digits(context: &Context) -> Result<usize, Refusal> {
    let settings: Settings = context.config()?;
    let digits = settings.significant_digits.unwrap_or(DIGITS_DEFAULT);
    Ok(digits.clamp(1, DIGITS_MAX))
}

#[cfg(test)]
mod tests;
