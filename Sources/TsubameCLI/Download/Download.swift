// Download: a response's body on its way into a file.
#if Tool
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
/// that is there already. Whatever its name, it is whole: until then it has another one.
struct Download: Sendable {
    /// As asked for.
    let path: String?
    let isQuiet: Bool
    let board: ProgressBoard?

    /// Whether the response's body is a file, or the part of one that was asked for.
    func takes(_ response: Response) -> Bool {
        switch response.statusCode {
        case 204, 205: false
        case 206: response.request.headers.contains(.range)
        default: (200..<300).contains(response.statusCode)
        }
    }

    /// - Throws: `SystemError` if there is no place for it, or what reading throws; nothing is left then.
    func save(_ response: Response, next: () throws(CallError) -> Bytes?) throws {
        let target: String
        if let path { target = path } else { target = try Self.reserve(Self.name(of: response)) }
        do {
            let file = try OutputFile(target)
            do {
                try write(response, to: file, target, next)
                try file.finish()
            } catch {
                file.discard()
                throw error
            }
        } catch {
            if path == nil {
                unlink(target)
                // From now on it is somebody else's name.
                EndSignals.keep(target)
            }
            throw error
        }
        EndSignals.keep(target)
        // For whoever wants to go on with it; that nobody does any more is no reason to stop the others.
        if !isQuiet, target != "-", !Descriptor.output.isTerminal { try? Descriptor.output.writeAll(target + "\n") }
    }

    private func write(
        _ response: Response, to file: OutputFile, _ target: String, _ next: () throws(CallError) -> Bytes?
    ) throws {
        let total = response.headers[.contentLength].flatMap { Int64($0) }
        var transfer = Transfer(target, total: total, at: ProgressBoard.now)
        let line = target == "-" ? nil : board?.add(transfer)
        var isWhole = false
        defer { if let line, !isWhole { board?.remove(line, saying: nil) } }
        var count: Int64 = 0
        while let piece = try next() {
            try file.write(piece)
            count += Int64(piece.count)
            if let line { board?.reach(count, line) }
        }
        isWhole = true
        transfer.reach(count)
        let summary = "\(Canvas.visible(target)): \(ProgressLine.summary(transfer, at: ProgressBoard.now))"
        if let line { board?.remove(line, saying: summary) }
    }

    /// What it is called, unless there is no name for it at all.
    private static func name(of response: Response) -> String {
        if let name = response.suggestedFileName { return name }
        let isPage = response.headers[.contentType].flatMap { MediaType($0) }?.subtype == "html"
        return isPage ? "index.html" : "index"
    }

    /// Makes an empty file of a name that is free, so that nobody else takes it: `report.pdf`, `report-1.pdf` and so on.
    private static func reserve(_ name: String) throws(SystemError) -> String {
        for number in 0..<10_000 {
            let candidate = number == 0 ? name : FileName.numbered(name, number)
            let descriptor = open(candidate, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 {
                _ = close(descriptor)
                EndSignals.removeWhenInterrupted(candidate)
                return candidate
            }
            guard errno == EEXIST else { throw SystemError("the file \(candidate) cannot be written") }
        }
        throw SystemError("there are too many files like \(name)", code: EEXIST)
    }
}

#endif
