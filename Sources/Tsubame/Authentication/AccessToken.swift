// AccessToken: a token that authenticates requests, and how long it is valid.

import TsubameCore
import TsubamePlatform

/// A token and, if it is known, how long it is valid.
public struct AccessToken: Sendable {
    /// A token is no longer sent when less than this time is left, in nanoseconds. For a short validity, the margin is
    /// a tenth of that. It leaves the request time to arrive.
    private static let longestMargin: UInt64 = 30_000_000_000

    /// The token as it is sent.
    public let value: String
    /// How long the token is valid, from the creation of this value. nil if that is not known.
    public let expiresIn: Duration?
    private let lastUse: MonotonicTime

    /// Creates a token.
    /// - Parameters:
    ///   - value: the token as it is sent, without `Bearer`.
    ///   - expiresIn: how long the token is valid from now. The client asks for a new token shortly before the end.
    public init(_ value: String, expiresIn: Duration? = nil) {
        self.value = value
        self.expiresIn = expiresIn
        guard let expiresIn else {
            lastUse = MonotonicClock.never
            return
        }
        let time = expiresIn.nanosecondsClamped
        let margin = min(time / 10, Self.longestMargin)
        let (end, overflow) = MonotonicClock.nowWithSleep.addingReportingOverflow(time - margin)
        lastUse = overflow ? MonotonicClock.never : end
    }

    /// Whether the token may still be sent.
    var isUsable: Bool { lastUse == MonotonicClock.never || MonotonicClock.nowWithSleep < lastUse }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Redaction.placeholder }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}
