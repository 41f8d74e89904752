// SessionFile: a file that keeps the calls of a log from one session to the next.

#if Inspector
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization
import TsubameCore
import TsubamePlatform

/// Reads the calls of earlier sessions, and saves all calls while there are new ones and at the end.
final class SessionFile: Sendable {
    /// The time between two savings. A saving writes all calls.
    private static let interval = Duration.seconds(30)

    private let path: String
    private let log: TrafficLog
    private let saving = Mutex<Task<Void, Never>?>(nil)
    /// The number of events that the log had taken when it was saved last.
    private let saved = Mutex<UInt64>(0)

    /// - Throws: ``CallError`` with the kind `file` if the file exists and is no archive.
    init(_ path: String, of log: TrafficLog) throws {
        self.path = path
        self.log = log
        // A log that had this session before has its calls.
        if log.isNew(session: path), FileManager.default.fileExists(atPath: path) {
            try log.add(har: Data(contentsOf: URL(filePath: path)))
        }
        // Only now: a file that cannot be read must not be replaced by the next try.
        log.keep(session: path)
        saved.withLock { $0 = log.changes }
        saving.withLock { task in
            task = Task.detached { [weak self] in
                while (try? await Task.sleep(for: Self.interval)) != nil { await self?.save() }
            }
        }
    }

    deinit { saving.withLock { $0 }?.cancel() }

    /// Saves a last time. A saving that runs ends before that, so that two never write at once.
    func end() async {
        let task = saving.withLock { task in
            defer { task = nil }
            return task
        }
        guard let task else { return }
        task.cancel()
        await task.value
        await save()
    }

    /// Writes all calls, unless nothing has changed. Secrets are withheld. A failure is told on the standard error.
    private func save() async {
        let changes = log.changes
        guard saved.withLock({ $0 != changes }) else { return }
        do {
            try write(try await log.har())
            saved.withLock { $0 = changes }
        } catch {
            StandardError.write("The inspector's session is not saved: \(error)\n")
        }
    }

    private func write(_ archive: Data) throws {
        let partial = path + ".part"
        let descriptor = SystemCall.open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode: 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var (_, code) = archive.withUnsafeBytes { FileOutput.write($0, to: descriptor) }
        if code == 0 { code = FileOutput.replace(path, by: partial, descriptor) }
        guard code == 0 else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> CallError {
        CallError(.file, "\(path) cannot be written: \(String(cString: strerror(code)))")
    }
}
#endif
