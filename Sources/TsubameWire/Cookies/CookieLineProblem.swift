// CookieLineProblem: a line of a `cookies.txt` that was not read.

public struct CookieLineProblem: Sendable, Hashable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    /// In words, without the cookie's value.
    public let reason: String

    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason)" }
}
