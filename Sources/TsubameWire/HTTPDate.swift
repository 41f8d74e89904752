// Dates as fields have them (RFC 9110 section 5.6.7), from seconds since 1970. CookieDate.swift reads those of cookies.

package enum HTTPDate {
    /// IMF-fixdate, the form to send: `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// It has four digits for the year: what lies before the year 0 or after 9999 is written as the first or last
    /// second of that span.
    package static func format(_ secondsSince1970: Int64) -> String {
        let time = CivilTime(secondsSince1970: min(max(secondsSince1970, -62_167_219_200), 253_402_300_799))
        return "\(time.weekdayName), \(CivilTime.digits(time.day)) \(time.monthName)"
            + " \(CivilTime.digits(time.year, 4)) \(time.timeOfDay) GMT"
    }

    /// Any of the three forms that a recipient has to read (RFC 9110 section 5.6.7), as leniently as the dates of
    /// cookies; nil if it is none.
    package static func parse(_ text: String) -> Int64? { CookieDate.parse(text) }
}
