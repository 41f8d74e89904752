// CommonParameters: a message hook that adds the same parameters to every request of a client.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import HTTPTypes
public import TsubameCore
public import TsubameWire

/// Adds the same parameters to every request. If the body is a form in memory
/// (`application/x-www-form-urlencoded`), the parameters go into the form. Otherwise they go into the query, for
/// every method. A cross-origin request does not get them.
///
/// ```swift
/// $0.interceptors += [CommonParameters(messageType: "viewer", installation: .stored(in: folder))]
/// ```
public struct CommonParameters: MessageHook {
    private let make: @Sendable () -> Parameters

    /// Makes the hook from a closure that returns the parameters.
    /// - Parameter parameters: called for each call; returns the parameters to add.
    public init(_ parameters: @escaping @Sendable () -> Parameters) { make = parameters }

    /// Makes the hook with the parameters that APIs of mobile apps usually expect.
    /// - Parameters:
    ///   - messageType: the value of `messageType`; nil sends none.
    ///   - installation: the value of `deviceId`, a random UUID made once for this installation; nil sends none. It
    ///     is never an identifier of the hardware.
    ///   - timeZone: the time zone of `dateTime`, which is sent as `yyyyMMddHHmmss`.
    ///   - now: returns the current time; by default the system's.
    ///   - others: further parameters, sent after these.
    public init(
        messageType: String? = nil, installation: InstallationID? = nil, timeZone: TimeZone = .gmt,
        now: @escaping @Sendable () -> Date = { Date() }, others: Parameters = [:]
    ) {
        make = {
            var parameters = Parameters()
            if let installation { parameters.append("deviceId", installation.value) }
            if let messageType { parameters.append("messageType", messageType) }
            parameters.append("dateTime", Self.stamp(now(), timeZone))
            return parameters + others
        }
    }

    /// Adds the parameters to the request.
    /// - Throws: ``CallError/Kind/invalidRequest`` if they cannot be encoded.
    public func willSend(_ request: inout Request) throws(CallError) {
        guard !request.isCrossOrigin, let uri = request.uri else { return }
        let parameters = make()
        if let failure = parameters.failure {
            throw CallError(
                .invalidRequest, "the common parameters cannot be encoded: \(failure)", underlying: failure,
                request: request)
        }
        let encoded = parameters.encoded()
        guard !encoded.isEmpty else { return }
        guard let bytes = request.body.bytes,
            request.headers[.contentType].flatMap({ MediaType($0) })?.essence == "application/x-www-form-urlencoded"
        else {
            request.target = .uri(uri.adding(query: encoded))
            return
        }
        // The form is joined as bytes, because the caller's form need not be in UTF-8.
        let form = Bytes(joining: bytes.count > 0 ? [bytes, Bytes("&"), Bytes(encoded)] : [Bytes(encoded)])
        request.body = .bytes(form, contentType: request.body.contentType)
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

/// The identifier of this installation: a random UUID that is made once and kept in a file.
public struct InstallationID: Sendable, Hashable {
    /// The identifier as it is sent.
    public let value: String

    /// Makes an identifier from a value that the program stores itself.
    public init(value: String) { self.value = value }

    /// Reads the identifier from the file `installation-id` in `folder`. The first call creates the folder and the
    /// file.
    /// - Throws: the error of creating the folder or the file.
    public static func stored(in folder: URL) throws -> InstallationID {
        let file = folder.appending(path: "installation-id")
        if let text = try? String(contentsOf: file, encoding: .utf8), let id = UUID(uuidString: text) {
            return InstallationID(value: id.uuidString)
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = UUID().uuidString
        // Two processes may create the identifier at once. The first link wins, and the other process reads its
        // value.
        let temporary = folder.appending(path: "installation-id.\(made)")
        try Data(made.utf8).write(to: temporary)
        defer { try? FileManager.default.removeItem(at: temporary) }
        do {
            try FileManager.default.linkItem(at: temporary, to: file)
        } catch {
            guard let text = try? String(contentsOf: file, encoding: .utf8), let id = UUID(uuidString: text) else {
                try Data(made.utf8).write(to: file, options: .atomic)
                return InstallationID(value: made)
            }
            return InstallationID(value: id.uuidString)
        }
        return InstallationID(value: made)
    }

    /// Reads or creates the identifier in the user's data folder, in a subfolder of the given name. The data folder
    /// is `$XDG_DATA_HOME` if it is an absolute path; otherwise `~/.local/share` on Linux and Application Support
    /// on Apple's systems.
    /// - Throws: the error of creating the folder or the file.
    public static func stored(for application: String) throws -> InstallationID {
        try stored(in: dataFolder.appending(path: application))
    }

    private static var dataFolder: URL {
        if let given = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], given.hasPrefix("/") {
            return URL(filePath: given)
        }
        #if canImport(Darwin)
        return URL.applicationSupportDirectory
        #else
        return URL.homeDirectory.appending(path: ".local/share")
        #endif
    }
}
