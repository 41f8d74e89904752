// CookieLineProblem: a line of a `cookies.txt` that was not read, and why.

/// A line of a `cookies.txt` that was skipped.
public struct CookieLineProblem: Sendable, Hashable, CustomStringConvertible {
    /// The line's number, counted from 1.
    public let line: Int
    /// Why the line was skipped. The text does not contain the cookie's value.
    public let reason: String

    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason)" }
}
