// Download: saves the body of a response to a file.

import Synchronization
import Tsubame
import TsubamePlatform
import TsubameTerminal

/// The file gets the name that the user asked for, or a name from the server or the URL. A name from these never
/// replaces an existing file. The library does the work; this type sets its policy and reports the result.
struct Download: Sendable {
    /// The files that all downloads of this command have finished.
    private static let finished = FinishedFiles()

    /// The path that the user asked for.
    let path: String?
    let options: DownloadOptions
    let isQuiet: Bool
    /// Whether warnings are left out as well.
    let isSilent: Bool
    /// The style for a body that is streamed to a terminal.
    let terminalStyle: OutputStyle
    let board: ProgressBoard?

    /// Whether the target is not a regular file but the standard output, a device or a pipe.
    var isStreamed: Bool {
        guard let path else { return false }
        if path == "-" { return true }
        guard let status = FileStatus(of: path) else { return false }
        return status.kind != .regular && status.kind != .folder
    }

    /// Writes a body to a target that only passes it on. The page of an error is not written.
    func stream(_ response: Response, next: () throws(CallError) -> Bytes?) throws {
        guard (200..<300).contains(response.statusCode) else { return }
        let file = try OutputFile(path)
        // On a terminal, the server's bytes must not control it. Elsewhere the body is written as it came.
        var body = BodyPrinter(
            file, file.isTerminal ? terminalStyle : OutputStyle(), contentType: response.headers[.contentType])
        try body.print(next: next)
        try file.finish()
    }

    /// A hint that `-c` would have kept the received part; nil if it would not.
    func hint(for error: CallError) -> String? {
        guard !options.resumes, !isStreamed, error.phase == .receivingBody, error.request?.method == .get else {
            return nil
        }
        switch error.kind {
        case .connectionLost, .incompleteResponse, .timeout, .tls:
            return "with -c, the received part is kept: the same command goes on from there, and --retry at once"
        default: return nil
        }
    }

    /// Sends the request, and saves the response's body.
    /// - Parameters:
    ///   - output: where the file's name is written, unless it is a terminal.
    ///   - head: called with the response before its body is saved, and also if its body is not saved.
    ///   - saved: called with the number of bytes received for the file.
    /// - Returns: the response. Nothing is saved if its status is not a success.
    /// - Throws: the error of `head`, or ``CallError``.
    func save(
        _ request: Request, by client: Client, to output: OutputFile,
        head: @escaping @Sendable (Response) throws -> Void, saved: (Int64) -> Void
    ) throws -> Response {
        let bar = DownloadBar(path, board)
        let temporary = Mutex<[String]>([])
        let failure = Mutex<(any Error)?>(nil)
        var hooks = DownloadHooks()
        hooks.finished = Self.finished
        hooks.head = { response in
            do {
                try head(response)
            } catch {
                failure.withLock { $0 = error }
            }
        }
        hooks.temporary = { paths in
            paths.forEach(EndSignals.removeWhenInterrupted)
            temporary.withLock { $0 += paths }
        }
        let kept = Mutex<String?>(nil)
        hooks.kept = { path, isGapless in
            kept.withLock { kept in
                if let kept, kept != path { KeptParts.remove(kept) }
                if let path, !isSilent { KeptParts.add(path, isGapless: isGapless) }
                kept = path
            }
        }
        defer {
            temporary.withLock { $0.forEach(EndSignals.keep) }
            kept.withLock { if let kept = $0 { KeptParts.remove(kept) } }
        }
        do {
            let file = try client.blocking.download(
                request, toPath: path ?? "", resume: options.resumes, policy: options.policy, hooks: hooks
            ) { bar.show($0) }
            saved(max(file.count - file.resumed, 0))
            // The given path may be a folder.
            let name = file.path
            bar.end(saying: name)
            if let error = failure.withLock({ $0 }) { throw error }
            // A program may wait for the name to use the file. If no program reads it any more, the other downloads
            // still go on.
            if !isQuiet, !output.isTerminal {
                try? output.write(name + "\n")
                try? output.flush()
            }
            return file.response
        } catch let error as CallError {
            bar.end(saying: nil)
            guard error.kind == .status, let response = error.response else { throw error }
            try head(response)
            return response
        }
    }
}

/// One download, as a line of the progress board.
private final class DownloadBar: Sendable {
    private struct State: Sendable {
        var line: Int?
        var transfer: Transfer?
    }

    private let path: String?
    private let board: ProgressBoard?
    private let state = Mutex(State())

    init(_ path: String?, _ board: ProgressBoard?) {
        self.path = path
        self.board = board
    }

    func show(_ progress: DownloadProgress) {
        guard let board else { return }
        state.withLock { state in
            // A download that starts anew gets a new line.
            if let line = state.line, progress.resumed != state.transfer?.offset {
                board.remove(line, saying: nil)
                state.line = nil
            }
            if let line = state.line {
                state.transfer?.reach(progress.received)
                return board.reach(progress.received, line)
            }
            let name = path ?? progress.fileName
            let transfer = Transfer(name, offset: progress.resumed, total: progress.total, at: ProgressBoard.now)
            (state.transfer, state.line) = (transfer, board.add(transfer))
        }
    }

    /// - Parameter name: the name of the complete file; nil if there is none.
    func end(saying name: String?) {
        state.withLock { state in
            guard let line = state.line, let transfer = state.transfer else { return }
            let summary = name.map {
                "\(Canvas.visible($0)): \(ProgressLine.summary(transfer, at: ProgressBoard.now))"
            }
            board?.remove(line, saying: summary)
            state = State()
        }
    }
}
