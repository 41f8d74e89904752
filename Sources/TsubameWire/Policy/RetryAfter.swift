// RetryAfter: how long a server asks to be left alone (RFC 9110 section 10.2.3).

package enum RetryAfter {
    /// The delay in seconds, never negative: whole seconds, or the time until a date, as the answer's own `Date` counts
    /// it, so that clocks that differ do not matter. nil if the field is neither.
    /// - Parameters:
    ///   - date: the answer's Date field.
    ///   - now: seconds since 1970, for answers without one.
    package static func seconds(_ field: String, date: String?, now: Int64) -> Int64? {
        let text = field.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        let digits = text.prefix { $0.digitValue != nil }
        if !digits.isEmpty, text.dropFirst(digits.count).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            // More than fits is longer than anybody waits.
            return Int64(String(decoding: digits, as: UTF8.self)) ?? .max
        }
        guard let until = HTTPDate.parse(field) else { return nil }
        let start = date.flatMap(HTTPDate.parse) ?? now
        return max(until.subtractingReportingOverflow(start).partialValue, 0)
    }
}
