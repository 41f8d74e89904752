// DownloadTransfer: a running download, exchange by exchange.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubamePlatform
import TsubameWire

struct DownloadTransfer {
    /// The length up to which no event says why a download cannot be resumed: fetching a short file again takes no
    /// time.
    private static let trifle: Int64 = 64 << 10

    private let run: DownloadRun
    private let call: Call
    private var part: DownloadPart?
    /// The bytes that the request asked for; nil for the whole file.
    private var asked: Range<Int64>?
    private var retries = 0
    /// Bytes that were there before this call and are still of use.
    private var resumed: Int64 = 0
    private var hasBegun = false
    private var hasSpread = false
    /// The path of an existing file that is the server's, so that there is nothing to fetch.
    private var whole: String?
    /// Whether existing files were compared with the server's, for which a response was given up.
    private var hasCompared = false
    /// The file of another program that this download continues.
    private var continued: UnfinishedFile?
    /// Whether the whole file is asked for, because the bytes that are there are of no use. They go when it begins to come.
    private var startsOver = false

    init(_ run: DownloadRun, _ leftover: DownloadPart?, _ call: Call) {
        self.run = run
        self.call = call
        part = leftover
        asked = leftover.map { Self.gap(of: $0) }
        if let leftover, let identity = leftover.record?.continued {
            continued = UnfinishedFile(path: leftover.target, identity: identity)
        }
    }

    /// Runs to the end of the download, one exchange after another.
    mutating func run() async throws(CallError) -> DownloadedFile {
        // Not when the last reference is gone: the caller may begin the next download at once.
        defer { part?.unlock() }
        do throws(CallError) {
            while true {
                let (before, exchanges) = (startsOver ? 0 : part?.received ?? 0, call.exchanges)
                do throws(CallError) {
                    let response = try await run.client.sendAgain(request(), call)
                    defer { response.body.discard() }
                    if try await take(response), let file = try await finish(response) { return file }
                    run.forgive(since: exchanges, moved: moved(since: before), call)
                } catch {
                    guard run.resumes else { throw error }
                    let moved = moved(since: before)
                    run.forgive(since: exchanges, moved: moved, call)
                    try await run.pause(after: error, moved: moved, received: part?.received ?? 0, &retries, call)
                }
                asked =
                    startsOver ? nil : part.flatMap { $0.record == nil || $0.received == 0 ? nil : Self.gap(of: $0) }
            }
        } catch {
            throw leave(error)
        }
    }

    /// How many bytes have come. Bytes that cannot be resumed do not count.
    private func moved(since before: Int64) -> Int64 {
        // Bytes that are of no use are still there until the file begins to come anew.
        guard let part, part.record != nil, !startsOver else { return 0 }
        return max(part.received &- before, 0)
    }

    private func request() -> Request {
        guard let asked, let record = part?.record else { return run.request }
        return run.asking(for: asked, record, isBounded: asked.upperBound < record.total ?? .max)
    }

    static func gap(of part: DownloadPart) -> Range<Int64> {
        if let gap = part.gap() { return gap }
        // All bytes are there. A request for the last byte shows whether the server still has the same version.
        let total = max(part.total ?? part.received, 1)
        return total &- 1..<total
    }

    // MARK: One exchange

    /// - Returns: whether the file is complete.
    private mutating func take(_ response: Response) async throws(CallError) -> Bool {
        let answer = DownloadAnswer(
            response, asked: asked, record: part?.record, received: part?.received ?? 0,
            hasDigest: run.digest != nil)
        switch answer {
        case .everything: return try await takeEverything(response)
        case .rest(let span, let total):
            guard let part else { return false }
            if !hasBegun, part.record?.resource != DownloadRecord.resource(prepared()) {
                call.emit(
                    .decision(
                        "the download continues after \(part.received) bytes of a URL with another query or host: the server says that the version is the same"
                    ))
            }
            try part.learn(total: total)
            try part.join(DownloadRecord.origin(of: response))
            begin(response, part, total: total)
            try await write(response, part, span)
            return part.gap() == nil
        case .complete:
            if let part { begin(response, part, total: part.received) }
            return true
        case .again:
            let isAdmitted = part?.record?.admits(
                from: DownloadRecord.origin(of: response), hasDigest: run.digest != nil)
            startsOver = true
            call.emit(
                .decision(
                    isAdmitted == false
                        ? "the download begins anew: the bytes on disk are from another origin"
                        : "the download begins anew: the server cannot continue after the bytes on disk"))
            return false
        case .unasked:
            throw CallError(
                .invalidResponse, "the server sent a part that was not asked for", phase: .receivingBody,
                request: response.request, response: response.with(collected: Bytes()))
        case .refused:
            if response.isAccepted {
                throw CallError(
                    .status, "the server answered \(response.statusCode), so there is nothing to save",
                    phase: .decoding, request: response.request, response: response.with(collected: Bytes()))
            }
            try await response.accepted()
            return false
        }
    }

    private mutating func takeEverything(_ response: Response) async throws(CallError) -> Bool {
        let isDecoded = response.wire.contains(.contentEncoding) && !response.headers.contains(.contentEncoding)
        let total = isDecoded ? nil : Int64(contentLength: response.headers[.contentLength])
        let record = run.needsRecord ? DownloadRecord(response, prepared(), total: total) : nil
        let part: DownloadPart
        if let known = self.part {
            part = known
        } else if let total, try findWhole(response, total) {
            return whole != nil
        } else if let total, try await findPartial(response, total) {
            return false
        } else {
            part = try run.place.part(for: response, prepared())
            self.part = part
            if run.resumes,
                let obstacle = run.place.obstacle(
                    to: part, of: response, comparing: run.policy.usesExistingFiles, total: total,
                    hasDigest: expectedDigest(of: response) != nil, except: run.hooks.finished)
            {
                call.emit(.decision(obstacle))
            }
            if part.received > 0, run.resumes, agrees(part, with: record) {
                // Only this response named the file that has the bytes. The next request asks for the rest.
                return false
            }
            if !run.resumes || record == nil { run.hooks.temporary?(part.temporaryPaths) }
            if run.resumes, record == nil, total ?? .max > Self.trifle {
                call.emit(
                    .decision("if this download breaks off, it begins anew: \(DownloadRecord.obstacle(response))"))
            }
        }
        // Bytes of the same version are kept, although the server begins at the start of the file.
        if !startsOver, run.resumes || hasBegun, agrees(part, with: record) {
            try part.join(record?.origin)
            begin(response, part, total: total)
        } else {
            if part.received > 0, !startsOver {
                call.emit(
                    .decision(
                        run.resumes
                            ? "the download begins anew: the \(part.received) bytes that are there are of another version or origin"
                            : "an unfinished download of the same name, with \(part.received) bytes, is removed"))
            }
            try part.restart(record, isKept: run.resumes)
            startsOver = false
            // Nothing of the other program's file is left in the part, so the file keeps its name.
            continued = nil
            begin(response, part, total: total)
        }
        let written = try await write(response, part, 0..<(total ?? .max))
        // An earlier response of this version may have said how long the file is.
        if total == nil, let known = part.total, written < known {
            throw CallError(
                .incompleteResponse, "the body ended after \(written) of \(known) bytes", phase: .receivingBody,
                request: response.request, response: response.with(collected: Bytes()))
        }
        let end = total ?? written
        if part.total == nil { try part.learn(total: end) }
        if part.gap(in: 0..<end) == nil { try part.cut(at: end) }
        return part.gap(in: 0..<end) == nil
    }

    private func agrees(_ part: DownloadPart, with record: DownloadRecord?) -> Bool {
        guard let record, let known = part.record else { return false }
        return known.agrees(with: record, hasDigest: run.digest != nil)
    }

    /// Looks for an existing file that is the same as the server's. Length and name are not enough, because the
    /// file of another URL may have the same.
    /// - Returns: whether the response is no longer needed: the file is there, or comparing digests took too long
    ///   to keep the connection waiting.
    private mutating func findWhole(_ response: Response, _ total: Int64) throws(CallError) -> Bool {
        guard run.resumes, run.policy.usesExistingFiles, !hasCompared, response.statusCode == 200 else { return false }
        let expected = expectedDigest(of: response)
        let changed = response.headers[.lastModified].flatMap(HTTPDate.parse)
        guard expected != nil || changed != nil else { return false }
        let candidates = run.place.candidates(
            for: response, count: total, changed: expected == nil ? changed : nil, except: run.hooks.finished)
        guard !candidates.isEmpty else { return false }
        if let expected {
            // A connection must not wait while a large file is read here.
            response.body.discard()
            hasCompared = true
            for path in candidates where whole == nil {
                let digest = try FileDigest.sha256(of: path) { () throws(CallError) in try Self.goOn(call) }
                if digest == expected { whole = path }
            }
        } else {
            whole = candidates.first
        }
        guard let whole else { return true }
        run.hooks.head?(response)
        call.emit(
            .decision(
                "\(whole) is there already, \(total) bytes, "
                    + (expected == nil ? "with the server's length and date" : "with the expected digest")
                    + ": nothing to fetch; a download that does not resume fetches it again"))
        return true
    }

    /// Looks for the shorter file that another program has left, and takes its bytes over. The response, which is
    /// then given up, has shown that the file begins as the server's does.
    /// - Returns: whether the response is no longer needed.
    private mutating func findPartial(_ response: Response, _ total: Int64) async throws(CallError) -> Bool {
        let request = prepared()
        guard run.resumes, run.policy.usesExistingFiles, !hasCompared, response.statusCode == 200,
            // Bytes over http must not follow bytes that may have come over https.
            request.uri?.isSecure != true || response.request.uri?.isSecure == true,
            let file = run.place.partial(for: response, total: total, except: run.hooks.finished),
            let record = DownloadRecord(response, request, total: total, needsVersion: false)
        else { return false }
        let begins = try await file.holds(response.body, at: 0..<min(file.size, UnfinishedFile.comparedBeginning))
        // A connection must not wait while a large file is copied here.
        response.body.discard()
        let ends = begins ? try await holdsEnd(file, record) : false
        hasCompared = true
        guard begins, ends, let part = try run.place.part(continuing: file) else { return true }
        self.part = part
        continued = file
        let isKept = record.validators.condition != nil
        try part.restart(record.continuing(file.identity), isKept: isKept)
        if !isKept { run.hooks.temporary?(part.temporaryPaths) }
        try file.copy(to: part) { () throws(CallError) in try Self.goOn(call) }
        call.emit(.decision("the download continues after the \(part.received) of \(total) bytes in \(file.path)"))
        return true
    }

    /// Whether the end of a large file is the server's, too. Two versions of a file often begin with the same bytes.
    private func holdsEnd(_ file: UnfinishedFile, _ record: DownloadRecord) async throws(CallError) -> Bool {
        guard file.size > UnfinishedFile.comparedBeginning else { return true }
        let span = file.size &- UnfinishedFile.comparedEnd..<file.size
        let response = try await run.client.sendAgain(run.asking(for: span, record, isBounded: true), call)
        defer { response.body.discard() }
        let answer = DownloadAnswer(
            response, asked: span, record: record, received: 0, hasDigest: run.digest != nil)
        guard case .rest(span, _) = answer else { return false }
        return try await file.holds(response.body, at: span)
    }

    private static func goOn(_ call: Call) throws(CallError) {
        if call.isCancelled || Task.isCancelled { throw call.cancelled(.checking) }
        guard MonotonicClock.now < call.deadline else { throw call.expired(.checking) }
    }

    private func prepared() -> Request { (try? run.client.prepare(run.request)) ?? run.request }

    private mutating func begin(_ response: Response, _ part: DownloadPart, total: Int64?) {
        let resumed = part.received
        run.hooks.kept?(run.resumes && part.isKept ? part.path : nil, part.isGapless)
        if !hasBegun {
            run.hooks.head?(response)
            self.resumed = resumed
            run.meter.begin(part, resumed: resumed, total: total)
        } else if resumed < self.resumed {
            self.resumed = resumed
            run.meter.begin(part, resumed: resumed, total: total)
        } else if let total {
            run.meter.learn(total: total)
        }
        hasBegun = true
    }

    /// Writes the body to its position, over several connections if the policy and the server allow that.
    /// - Returns: the position at which it ended.
    @discardableResult
    private mutating func write(
        _ response: Response, _ part: DownloadPart, _ span: Range<Int64>
    ) async throws(CallError) -> Int64 {
        if !hasSpread, let pieces = DownloadPieces(run, part, response, from: span.lowerBound, call) {
            hasSpread = true
            return try await pieces.fetch(response, span)
        }
        return try await DownloadWriter(part, run.meter).write(response, span) { _ in span.upperBound }
    }

    // MARK: The end

    /// - Returns: nil if the download has to begin anew, because another program's file was not the server's.
    private mutating func finish(_ response: Response) async throws(CallError) -> DownloadedFile? {
        if let whole {
            let count = FileStatus(of: whole)?.size ?? 0
            return DownloadedFile(
                url: URL(filePath: whole, directoryHint: .notDirectory), path: whole,
                response: response.with(collected: Bytes()), count: count, resumed: count)
        }
        guard let part else { throw CallError(.file, "there is nothing to save", phase: .receivingBody) }
        if let problem = try digestProblem(of: part, response) {
            guard continued != nil else {
                // If the caller's rule wants a retry, it begins anew.
                try part.restart(nil, isKept: false)
                throw problem
            }
            continued = nil
            call.emit(.decision("the download begins anew: with the bytes that were there it has the wrong digest"))
            try part.restart(nil, isKept: false)
            return nil
        }
        run.meter.end(isKept: true)
        if run.policy.usesExistingFiles, let date = date(of: part, response) { part.date(date) }
        if let status = part.status { run.hooks.finished?.add(status) }
        let path = try run.place.finish(part, continuing: continued)
        return DownloadedFile(
            url: URL(filePath: path, directoryHint: .notDirectory), path: path,
            response: response.with(collected: Bytes()), count: part.received, resumed: resumed)
    }

    /// The time when the server's file last changed. It is nil if the file may have changed again within that
    /// second, because the date would not show that (RFC 9110 section 8.8.2.2).
    private func date(of part: DownloadPart, _ response: Response) -> Int64? {
        let text = part.record?.validators.lastModified ?? response.headers[.lastModified]
        // A response without a Date was sent when it was received (RFC 9110 section 6.6.1).
        let sent = response.headers[.date].flatMap(HTTPDate.parse) ?? Int64(Date().timeIntervalSince1970)
        return text.flatMap(HTTPDate.parse).flatMap { $0 < sent ? $0 : nil }
    }

    /// The digest that the whole file must have, if the caller or the server names one.
    private func expectedDigest(of response: Response) -> [UInt8]? {
        if let digest = run.digest { return digest }
        guard run.policy.checksServerDigest, !response.wire.contains(.contentEncoding) else { return nil }
        let (whole, content) = (response.headers[.reprDigest], response.headers[.contentDigest])
        if response.statusCode == 200 { return (whole ?? content).flatMap(RepresentationDigest.sha256) }
        // The caller's own range is saved as it comes, and `Repr-Digest` is that of the whole file (RFC 9530 section 3).
        let field = run.hasOwnRange ? content : whole
        return field.flatMap(RepresentationDigest.sha256)
    }

    /// The error for a file with another digest than the expected one.
    private func digestProblem(of part: DownloadPart, _ response: Response) throws(CallError) -> CallError? {
        guard let expected = expectedDigest(of: response) else { return nil }
        let digest = try part.digest { () throws(CallError) in try Self.goOn(call) }
        guard digest != expected else { return nil }
        let (found, wanted) = (Hexadecimal.text(digest), Hexadecimal.text(expected))
        return CallError(
            .decoding, "the file has the SHA-256 digest \(found), and \(wanted) was expected",
            phase: .checking, advice: "the downloaded file was removed", request: response.request,
            response: response.with(collected: Bytes()))
    }

    /// Keeps or removes the received bytes after an error.
    /// - Returns: the error, with advice about kept bytes.
    private func leave(_ error: CallError) -> CallError {
        guard let part else { return error }
        let isWrong = error.kind == .decoding
        // The meter ends before the files are removed, so that it saves no record afterwards.
        run.meter.end(isKept: run.resumes && !isWrong && part.record != nil)
        guard part.leave(keeping: run.resumes && !isWrong) else { return error }
        return error.with(
            advice:
                "\(part.received) bytes are kept in \(part.path): the next download that resumes continues after them"
        )
    }
}
