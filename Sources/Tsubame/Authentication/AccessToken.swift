// AccessToken: what proves to a server that a call may be made, for some time.

import TsubameCore

/// A token and, if it is known, how long it lasts.
public struct AccessToken: Sendable {
    /// A token is no longer sent when less than this is left, in nanoseconds, or a tenth of its time if that is less: it
    /// has to arrive, too.
    private static let longestMargin: UInt64 = 30_000_000_000

    /// As it is sent.
    public let value: String
    /// Counted from the moment at which this value was made; nil if nobody knows.
    public let expiresIn: Duration?
    private let lastUse: MonotonicTime

    /// A token that lasts for `expiresIn`.
    /// - Parameters:
    ///   - value: as it is sent, without `Bearer`.
    ///   - expiresIn: from now. Shortly before, a new one is asked for.
    public init(_ value: String, expiresIn: Duration? = nil) {
        self.value = value
        self.expiresIn = expiresIn
        guard let expiresIn else {
            lastUse = MonotonicClock.never
            return
        }
        let time = expiresIn.nanosecondsClamped
        let (end, overflow) = MonotonicClock.now.addingReportingOverflow(time - min(time / 10, Self.longestMargin))
        lastUse = overflow ? MonotonicClock.never : end
    }

    /// Whether it may still be sent.
    var isUsable: Bool { lastUse == MonotonicClock.never || MonotonicClock.now < lastUse }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Redaction.placeholder }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}
