// DownloadRun: one download, from what is there of it to the whole file.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubameEngine
import TsubameWire

/// Asks for what is missing until nothing is: first for the rest of what an earlier call has left, or for all of it, and then,
/// if the connection breaks, for what follows what came. All exchanges are of one call, and under its deadlines and limits.
struct DownloadRun: Sendable {
    let client: Client
    /// For all of it, as the caller made it.
    let request: Request
    let place: DownloadPlace
    let policy: DownloadPolicy
    let digest: [UInt8]?
    /// Whether what came is kept for another time, if the server lets it be resumed.
    let resumes: Bool
    /// Whether parts of it may be asked for.
    let needsRecord: Bool
    let hooks: DownloadHooks
    let meter: DownloadMeter

    /// What the call begins with.
    struct Start: Sendable {
        let request: Request
        let leftover: DownloadPart?
    }

    init(
        _ client: Client, _ request: Request, path: String, isFolder: Bool = false, resume: Bool,
        _ policy: DownloadPolicy,
        _ hooks: DownloadHooks = DownloadHooks(), _ progress: (@Sendable (DownloadProgress) -> Void)?
    ) throws(CallError) {
        self.client = client
        self.policy = policy
        self.hooks = hooks
        digest = try policy.expectedDigest()
        place = try DownloadPlace(path, isFolder: isFolder, policy)
        meter = DownloadMeter(progress ?? { _ in })
        let mayHaveParts =
            request.method == .get && request.body.isEmpty && !request.headers.contains(.range)
            && !request.headers.contains(.ifRange)
        resumes = resume && mayHaveParts
        needsRecord = mayHaveParts && (resume || policy.connections > 1)
        var request = request
        if !request.headers.contains(.acceptEncoding) {
            request.headers[.acceptEncoding] = "identity"
            // A server that codes nevertheless does so unasked.
            request.undoesCodings = true
        }
        self.request = request
    }

    /// Looks for what an earlier call has left.
    func start() throws(CallError) -> Start {
        guard resumes, let prepared = try? client.prepare(request), let part = try place.leftover(of: prepared),
            let record = part.record
        else { return Start(request: request, leftover: nil) }
        let gap = DownloadPassage.gap(of: part)
        return Start(
            request: asking(for: gap, record, isBounded: gap.upperBound < record.total ?? .max), leftover: part)
    }

    /// The same request for a part (RFC 9110 sections 13.1.5 and 14.2).
    func asking(for span: Range<Int64>, _ record: DownloadRecord, isBounded: Bool = false) -> Request {
        var request = request
        request.undoesCodings = false
        let end = isBounded ? "\(span.upperBound &- 1)" : ""
        request.headers[.range] = "bytes=\(span.lowerBound)-\(end)"
        request.headers[.ifRange] = record.validators.condition
        request.headers[.acceptEncoding] = "identity"
        return request
    }

    /// Does all of it.
    func perform(_ start: Start, _ call: Call) async throws(CallError) -> DownloadedFile {
        guard Engine.isOnLoop else { return try await performHere(start, call) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(CallError) in
            try await performHere(start, call)
        }
    }

    private func performHere(_ start: Start, _ call: Call) async throws(CallError) -> DownloadedFile {
        try await client.perform(call) { response throws(CallError) in
            var passage = DownloadPassage(self, start.leftover, call)
            return try await passage.run(response)
        }
    }
}
