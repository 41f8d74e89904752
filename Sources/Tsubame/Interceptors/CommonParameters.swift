// CommonParameters: what an API wants with every call.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import HTTPTypes
public import TsubameCore
public import TsubameWire

/// Adds the same parameters to every request: to the body of one that carries a form in memory, to the query of any
/// other, whatever its method. They stay at home: a request to another origin goes without them.
///
/// ```swift
/// $0.interceptors += [CommonParameters(messageType: "viewer", installation: .stored(in: folder))]
/// ```
public struct CommonParameters: Hook {
    private let make: @Sendable () -> Parameters

    /// Parameters of your own.
    /// - Parameter parameters: asked at every call.
    public init(_ parameters: @escaping @Sendable () -> Parameters) { make = parameters }

    /// The classic set.
    /// - Parameters:
    ///   - messageType: sent as `messageType`.
    ///   - installation: sent as `deviceId`: a UUID made once for this installation, never a hardware's.
    ///   - timeZone: of `dateTime`, which is sent as `yyyyMMddHHmmss`.
    ///   - now: the time; the system's unless given.
    ///   - others: anything else.
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

    /// Adds the parameters.
    /// - Throws: ``CallError/Kind/invalidRequest`` if they cannot be encoded.
    public func willSend(_ request: inout Request) throws(CallError) {
        guard !request.isForeign, let uri = request.uri else { return }
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
        // As bytes: a form of the caller's need not be in UTF-8.
        let form = Bytes(joining: bytes.count > 0 ? [bytes, Bytes("&"), Bytes(encoded)] : [Bytes(encoded)])
        request.body = .bytes(form, contentType: request.body.contentType)
    }

    /// `yyyyMMddHHmmss` in the given zone, by the Gregorian calendar whatever the user's is.
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

/// The id of this installation: a random UUID, made once and kept in a file.
public struct InstallationID: Sendable, Hashable {
    /// The id as it is sent.
    public let value: String

    /// An id that the program keeps itself.
    public init(value: String) { self.value = value }

    /// The id kept in `folder`, made there if there is none yet.
    /// - Throws: what writing the file throws.
    public static func stored(in folder: URL) throws -> InstallationID {
        let file = folder.appending(path: "installation-id")
        if let text = try? String(contentsOf: file, encoding: .utf8), let id = UUID(uuidString: text) {
            return InstallationID(value: id.uuidString)
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = UUID().uuidString
        // Two processes may get here at once: who does not find a file writes, and what is there in the end counts.
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

    /// The id kept in the user's data folder under the given name: `$XDG_DATA_HOME` or `~/.local/share` on Linux,
    /// Application Support on Apple's systems.
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
