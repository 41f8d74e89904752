// RetryAfter: how long a server asks the client to wait (RFC 9110 section 10.2.3).

package enum RetryAfter {
    /// The delay in seconds, never negative. For a date, the delay counts from the response's own Date, so that clock
    /// differences do not matter.
    /// - Parameters:
    ///   - date: the response's Date field.
    ///   - now: seconds since 1970, for responses without a Date.
    /// - Returns: nil if the field is neither a number of seconds nor a date.
    package static func seconds(_ field: String, date: String?, now: Int64) -> Int64? {
        let text = field.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        let digits = text.prefix { $0.digitValue != nil }
        if !digits.isEmpty, text.dropFirst(digits.count).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            // A number that does not fit is longer than any caller waits.
            return Int64(String(decoding: digits, as: UTF8.self)) ?? .max
        }
        guard let until = HTTPDate.parse(field) else { return nil }
        let start = date.flatMap(HTTPDate.parse) ?? now
        return max(until.subtractingReportingOverflow(start).partialValue, 0)
    }
}
