// CallArchive: the file of `--har`, with everything that a command sent and received.

import Synchronization
import Tsubame
import TsubameInspector
import TsubamePlatform

/// Keeps the calls of clients, and writes them as an HTTP archive. The archive has all secrets, so that it can be sent
/// again. Only its owner can read the file.
final class CallArchive: Sendable {
    /// The longest body that is kept, and the memory for all calls, in bytes.
    private static let limits = (body: 16 << 20, total: 512 << 20)

    private let path: String
    private let log: TrafficLog
    /// The log does not keep them.
    private let clients = Mutex<[Client]>([])

    /// Checks that the file can be written, before anything is sent.
    init(_ path: String) throws(SystemError) {
        self.path = path
        var limits = TrafficLog.Limits()
        (limits.body, limits.total) = Self.limits
        log = TrafficLog(limits: limits)
        log.keepBodies()
        try PrivateFile.check(path, named: "the archive \(path)")
    }

    func watch(_ client: Client) {
        log.add(client)
        clients.withLock { $0.append(client) }
    }

    func write() throws {
        let log = log
        let bytes = Bytes(try AsyncRun.result { try await log.har(showingSecrets: true) })
        try PrivateFile.replace(path, named: "the archive \(path)") { file throws(SystemError) in
            try bytes.withUnsafeBytes { bytes throws(SystemError) in try file.writeAll(bytes) }
        }
    }
}
