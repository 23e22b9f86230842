//! Wire timestamps: RFC 3339 in UTC, compared to the millisecond.

/// Unix milliseconds; none if it is not such a timestamp. Smaller fractions are truncated.
pub(crate) fn moment_ms(text: &str) -> Option<i64> {
    let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 59 || !(1..=9).contains(&fraction.len()) {
        return None;
    }
    digits(fraction)?;
    let ms = digits(&format!("{fraction:0<3}")[..3])?;
    let seconds = days_since_epoch(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(seconds * 1_000 + ms)
}

fn numbers(text: &str, between: char, lengths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(between);
    let mut found = [0; 3];
    for (number, length) in found.iter_mut().zip(lengths) {
        *number = digits(parts.next().filter(|part| part.len() == length)?)?;
    }
    parts.next().is_none().then_some(found)
}

fn digits(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The year begins in March here, so the leap day is its last day.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::moment_ms;

    #[test]
    fn moments_are_milliseconds_of_the_epoch() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T12:30:45.5Z", 951_827_445_500),
            ("2026-11-15T10:00:00.000Z", 1_794_736_800_000),
            ("2026-11-15T10:00:00.000999999Z", 1_794_736_800_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            // Read as a calendar that ignores the month's length.
            ("2026-02-30T00:00:00Z", 1_772_409_600_000),
        ] {
            assert_eq!(moment_ms(text), Some(ms), "{text}");
        }
    }

    #[test]
    fn what_is_no_moment_is_none() {
        for text in [
            "",
            "Z",
            "2026-11-15",
            "2026-11-15T10:00:00",
            "2026-11-15T10:00:00+00:00",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-32T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.1234567890Z",
            "2026-1-01T00:00:00Z",
            "+026-01-01T00:00:00Z",
            "2026-01-01T00:00:00.1.2Z",
            "2026-01-01-01T00:00:00Z",
            "٢٠٢٦-01-01T00:00:00Z",
        ] {
            assert_eq!(moment_ms(text), None, "{text}");
        }
    }
}
