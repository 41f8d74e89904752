// RecordingFile: the one owner of a recording and of its file.

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Dispatch
internal import Synchronization
internal import Tsubame
internal import TsubameCore
internal import TsubamePlatform

/// Reads the file once, and writes it after each exchange. Exchanges that end at the same time are written together.
// Only the queue uses the recording and the problem.
final class RecordingFile: @unchecked Sendable {
    private struct Addition: Sendable {
        let entry: HTTPArchive.Entry
        let rules: Redaction
        let done: @Sendable (CallError?) -> Void
    }

    private let path: String
    private let mode: Recorder.Mode
    private let matching: Recorder.Matching
    private let showsSecrets: Bool
    private let queue = DispatchQueue(label: "tsubame.recorder")
    private let additions = Mutex<[Addition]>([])
    /// The additions that nothing waits for; nil after ``finish()``.
    private let tasks = Mutex<[UniqueNumber: Task<Void, Never>]?>([:])
    private var recording: Recording?
    /// Whether requests without a recorded exchange are sent.
    private var sends = false
    private var problem: CallError?

    init(_ path: String, _ mode: Recorder.Mode, _ matching: Recorder.Matching, showsSecrets: Bool) {
        self.path = path
        self.mode = mode
        self.matching = matching
        self.showsSecrets = showsSecrets
    }

    enum Answer: Sendable {
        case recorded(HTTPArchive.Entry, index: Int)
        /// The request has to be sent.
        case none
    }

    /// Whether requests can be sent, and whether there is anything to replay.
    func open() async throws(CallError) -> (sends: Bool, replays: Bool) {
        try await perform { file throws(CallError) in
            let recording = try file.read()
            return (file.sends, !file.sends || (file.mode == .update && !recording.archive.entries.isEmpty))
        }
    }

    /// The recorded answer to a request.
    /// - Throws: ``CallError/Kind/misuse`` if there is none and the request must not be sent.
    func answer(to request: HTTPArchive.Request, _ rules: Redaction) async throws(CallError) -> Answer {
        try await perform { file throws(CallError) in
            var recording = try file.read()
            let answer = recording.answer(to: request, rules)
            file.recording = recording
            if let (index, entry) = answer { return .recorded(entry, index: index) }
            if file.sends { return .none }
            let reason =
                recording.nearest(to: request, rules).map { name, differences in
                    "no recorded exchange fits; the nearest is \(name): \(differences.joined(separator: "; "))"
                } ?? "there are no recorded exchanges"
            throw CallError(
                .misuse, "\(file.path): \(reason)", phase: .preparing,
                advice: "record it with mode: .update, or remove the file to record everything again")
        }
    }

    /// Adds an exchange, and returns when it is in the file.
    func add(_ entry: HTTPArchive.Entry, _ rules: Redaction) async throws(CallError) {
        let failure = await withCheckedContinuation { continuation in
            let addition = Addition(entry: entry, rules: rules) { continuation.resume(returning: $0) }
            additions.withLock { $0.append(addition) }
            queue.async { self.writeAdditions() }
        }
        if let failure { throw failure }
    }

    func unused() async throws(CallError) -> [String] {
        try await perform { file throws(CallError) in try file.read().unused }
    }

    /// Adds an exchange that nothing waits for. If that fails, later calls do. After ``finish()``, nothing is added.
    func addLater(_ work: @escaping @Sendable () async throws(CallError) -> Void) {
        tasks.withLock { tasks in
            guard tasks != nil else { return }
            let number = UniqueNumber()
            tasks?[number] = Task {
                do throws(CallError) {
                    try await work()
                } catch {
                    self.fail(error)
                }
                self.tasks.withLock { $0?[number] = nil }
            }
        }
    }

    private func fail(_ error: CallError) { queue.async { self.problem = self.problem ?? error } }

    /// Waits until all exchanges so far are in the file.
    func finish() async {
        let last = tasks.withLock { tasks in
            defer { tasks = nil }
            return tasks?.values.map { $0 } ?? []
        }
        for task in last { await task.value }
        _ = try? await perform { file throws(CallError) in file.writeAdditions() }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (RecordingFile) throws(CallError) -> Value
    ) async throws(CallError) -> Value {
        let result: Result<Value, CallError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(CallError) {
                    continuation.resume(returning: .success(try work(self)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    // MARK: On the queue

    private func read() throws(CallError) -> Recording {
        if let problem { throw problem }
        if let recording { return recording }
        do throws(CallError) {
            let made = Recording(try archive(), matching: matching, showsSecrets: showsSecrets)
            recording = made
            return made
        } catch {
            problem = error
            throw error
        }
    }

    private func archive() throws(CallError) -> HTTPArchive {
        let empty = HTTPArchive(creator: HTTPArchive.Creator(name: "Tsubame", version: Client.version))
        let exists = FileManager.default.fileExists(atPath: path)
        sends = mode == .record || mode == .update || (mode == .once && !exists)
        if mode == .record || (sends && !exists) { return empty }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CallError(
                .file, "the recording \(path) cannot be read", phase: .preparing,
                advice: exists ? nil : "record it with mode: .record", underlying: error)
        }
        do throws(HTTPArchiveError) {
            return try HTTPArchive(json: data)
        } catch {
            throw CallError(
                .file, "\(path): \(error)", phase: .preparing, advice: "mend the file, or record it again",
                underlying: error)
        }
    }

    private func writeAdditions() {
        let added = additions.withLock { additions in
            defer { additions = [] }
            return additions
        }
        guard !added.isEmpty else { return }
        var failure: CallError?
        do throws(CallError) {
            var recording = try read()
            for addition in added { recording.add(addition.entry, addition.rules) }
            self.recording = recording
            try write(recording.archive)
        } catch {
            failure = error
            // A reader that gave its body up does not hear of it, so later calls fail.
            problem = error
        }
        for addition in added { addition.done(failure) }
    }

    private func write(_ archive: HTTPArchive) throws(CallError) {
        let url = URL(filePath: path)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            // This replaces the file as a whole.
            try Data(try archive.json()).write(to: url, options: .atomic)
        } catch {
            throw CallError(
                .file, "the recording \(path) cannot be written", phase: .receivingBody,
                advice: "check the path, its permissions and the space on its disk", underlying: error)
        }
    }
}
