// Download: a response's body on its way into a file.
#if Tool
import Synchronization
import Tsubame
import TsubameTerminal
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file has the name that was asked for, or the one that the server or the URL has for it, and then never that of a file
/// that is there already. The library does the work; this says how, and what comes of it.
struct Download: Sendable {
    /// Of all the downloads of this command.
    private static let finished = FinishedFiles()

    /// As asked for.
    let path: String?
    let options: DownloadOptions
    let isQuiet: Bool
    /// Whether warnings are left out, too.
    let isSilent: Bool
    /// How a terminal shows a body that is streamed to it.
    let terminalStyle: OutputStyle
    let board: ProgressBoard?

    /// Whether what is written to is no file that could be whole: the standard output, a device, a pipe.
    var isStreamed: Bool {
        guard let path else { return false }
        if path == "-" { return true }
        guard let status = FileStatus(of: path) else { return false }
        return status.kind != .regular && status.kind != .folder
    }

    /// Writes what comes where it can only pass; an error's page does not.
    func stream(_ response: Response, next: () throws(CallError) -> Bytes?) throws {
        guard (200..<300).contains(response.statusCode) else { return }
        let file = try OutputFile(path)
        // A terminal shows no byte of a server's that could steer it. Elsewhere the body is written as it came.
        var body = BodyPrinter(
            file, file.isTerminal ? terminalStyle : OutputStyle(), contentType: response.headers[.contentType])
        try body.print(next: next)
        try file.finish()
    }

    /// What could have been kept.
    func hint(for error: CallError) -> String? {
        guard !options.resumes, !isStreamed, error.phase == .receivingBody, error.request?.method == .get else {
            return nil
        }
        switch error.kind {
        case .connectionLost, .incompleteResponse, .timeout, .tls:
            return "with -c, what comes can be kept: the same command goes on from there, and --retry at once"
        default: return nil
        }
    }

    /// Sends the request, and saves what is answered.
    /// - Parameters:
    ///   - output: where the file's name is written, unless somebody sits there.
    ///   - head: given the response before its body is saved, and one whose body is not.
    /// - Returns: the response; nothing is saved of one whose status is no success.
    /// - Throws: what `head` throws, or ``CallError``.
    func save(
        _ request: Request, by client: Client, to output: OutputFile,
        head: @escaping @Sendable (Response) throws -> Void
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
            // What was named may be a folder.
            let name = file.path
            bar.end(saying: name)
            if let error = failure.withLock({ $0 }) { throw error }
            // For whoever wants to go on with it; that nobody does any more is no reason to stop the others.
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

/// A download as a line of the board.
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
            // One that begins anew has a line of its own.
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

    /// - Parameter name: of the whole file; nil if there is none.
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

#endif
