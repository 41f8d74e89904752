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
        let folder = FilePath.folder(of: FilePath.absolute(path))
        guard access(folder, W_OK | X_OK) == 0 else { throw SystemError("the archive \(path) cannot be written") }
    }

    func watch(_ client: Client) {
        log.add(client)
        clients.withLock { $0.append(client) }
    }

    func write() throws {
        let log = log
        let bytes = Bytes(try AsyncRun.result { try await log.har(showingSecrets: true) })
        let target = FilePath.resolved(path)
        let partial = PartialPath.beside(target)
        let file = try Descriptor.writing(partial, isNew: true, mode: 0o600)
        EndSignals.removeWhenInterrupted(partial)
        defer { EndSignals.keep(partial) }
        do throws(SystemError) {
            defer { file.shut() }
            try bytes.withUnsafeBytes { bytes throws(SystemError) in try file.writeAll(bytes) }
            let code = FileOutput.replace(target, by: partial, file.number)
            guard code == 0 else { throw SystemError("the archive \(path) cannot be written", code: code) }
        } catch {
            unlink(partial)
            throw error
        }
    }
}
