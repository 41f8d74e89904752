// KeyValueParameters: the parameters that this API wants in every call.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Tsubame

extension CommonParameters {
    /// Makes the hook with `deviceId`, `messageType` and `dateTime`.
    /// - Parameters:
    ///   - messageType: the value of `messageType`.
    ///   - installation: the value of `deviceId`; nil sends none.
    ///   - timeZone: the time zone of `dateTime`, which is sent as `yyyyMMddHHmmss`.
    ///   - now: returns the current time; by default the system's.
    ///   - others: further parameters, sent after these.
    public init(
        messageType: String, installation: InstallationID? = nil, timeZone: TimeZone = .gmt,
        now: @escaping @Sendable () -> Date = { Date() }, others: Parameters = [:]
    ) {
        self.init {
            var parameters = Parameters()
            if let installation { parameters.append("deviceId", installation.value) }
            parameters.append("messageType", messageType)
            parameters.append("dateTime", Self.stamp(now(), timeZone))
            return parameters + others
        }
    }

    /// Formats a date as `yyyyMMddHHmmss` in the given zone, always by the Gregorian calendar.
    static func stamp(_ date: Date, _ timeZone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func padded(_ value: Int?, _ width: Int) -> String {
            let text = String(value ?? 0)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return padded(parts.year, 4) + padded(parts.month, 2) + padded(parts.day, 2) + padded(parts.hour, 2)
            + padded(parts.minute, 2) + padded(parts.second, 2)
    }
}
