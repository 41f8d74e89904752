// LoggedCall+Archive: the attempts of a call as entries of an HTTP archive.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import Tsubame
package import TsubameCore

extension LoggedCall {
    /// One entry for each request that was sent, with its secrets. A call that sent nothing has one, too, unless it is running.
    /// - Parameter hasBodies: whether the entries have the bodies that were kept.
    package func entries(hasBodies: Bool = true) async -> [HTTPArchive.Entry] {
        var entries: [HTTPArchive.Entry] = []
        for var attempt in attempts where hasEntry(attempt) {
            if !hasBodies { (attempt.requestBody, attempt.responseBody) = (nil, nil) }
            entries.append(await entry(attempt, hasBodies: hasBodies))
        }
        return entries
    }

    /// Whether an attempt has an entry: it was sent or answered, or it is the whole of a call that has ended.
    private func hasEntry(_ attempt: Attempt) -> Bool {
        if attempt.events.upperBound == events.count, state != .running { return true }
        return events[attempt.events].contains {
            switch $0.kind {
            case .sent, .headReceived, .finished: true
            case .failed(let error): error.response != nil
            default: false
            }
        }
    }

    /// The bytes of a body before its content codings were undone.
    func received(isRequest: Bool, ofEntry index: Int) -> Bytes? {
        let attempts = attempts.filter { hasEntry($0) }
        guard attempts.indices.contains(index) else { return nil }
        return (isRequest ? attempts[index].requestBody : attempts[index].responseBody)?.bytes
    }

    private func entry(_ attempt: Attempt, hasBodies: Bool) async -> HTTPArchive.Entry {
        let events = events[attempt.events]
        let first = events.first?.time ?? 0
        let end = events.last { if case .resending = $0.kind { false } else { true } }?.time ?? first
        var sent: Request?
        var response: Response?
        var failure: CallError?
        for event in events {
            switch event.kind {
            case .sent(let request): sent = request
            case .headReceived(let head): response = head
            case .finished(let whole): if response == nil || whole.isFromCache { response = whole }
            case .failed(let error):
                failure = error
                response = response ?? error.response
            default: break
            }
        }
        let request = sent ?? response?.request ?? lastRequest
        let requestBody = await recorded(
            attempt.requestBody
                ?? (hasBodies ? request.body.bytesInMemory.map { Body(bytes: $0, isCut: false) } : nil),
            codings: request.headers[.contentEncoding])
        let started = Date(timeIntervalSince1970: (self.started + Double(first) / 1e6) / 1000)
        var entry: HTTPArchive.Entry
        if let response {
            let body = await recorded(attempt.responseBody, codings: response.wire[.contentEncoding])
            let base = response.timings.start
            entry = HTTPArchive.Entry(
                RecordedExchange(
                    request: request, requestFields: Array(request.headers), requestBody: requestBody,
                    response: response,
                    responseBody: body ?? RecordedBody(content: Bytes(), transferred: 0), started: started,
                    timings: HTTPArchive.Timings(response.timings, from: base &+ first, to: base &+ end)))
            if sent == nil {
                // The times are those of another call, or of none.
                entry.timings = HTTPArchive.Timings()
                entry.timings.wait = Double((end - min(first, end)) / 1000) / 1000
            }
            if body == nil { entry.response.content = HTTPArchive.Content(mimeType: entry.response.content.mimeType) }
        } else {
            entry = HTTPArchive.Entry(
                startedDateTime: started.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
                request: HTTPArchive.Request(
                    method: request.method.rawValue, url: request.uri?.string ?? "",
                    headers: request.headers.map { HTTPArchive.Pair($0.name.rawName, $0.value) },
                    postData: requestBody.map {
                        HTTPArchive.PostData($0, type: request.headers[.contentType] ?? request.body.contentType ?? "")
                    }),
                response: HTTPArchive.Response(status: 0))
            entry.timings.wait = Double((end - min(first, end)) / 1000) / 1000
        }
        if requestBody == nil, !request.body.isEmpty {
            entry.request.bodySize = request.body.length.map { Int(clamping: $0) } ?? -1
        }
        if let failure { entry.comment = "\(failure.kind.rawValue): \(failure.reason)" }
        return entry
    }

    /// The entries. Without `showsSecrets` a value that one of them withholds is withheld in all.
    package func entries(showsSecrets: Bool) async -> [HTTPArchive.Entry] {
        var entries = await entries()
        guard !showsSecrets else { return entries }
        var redaction = ArchiveRedaction()
        for index in entries.indices { redaction.redact(&entries[index], by: request.redaction) }
        for index in entries.indices { redaction.scrub(&entries[index]) }
        return entries
    }

    /// The most bytes of a decoded body.
    private static let longestContent = 512 << 10

    /// The content of a body, as far as it was kept and can be decoded.
    private func recorded(_ body: Body?, codings: String?) async -> RecordedBody? {
        guard let body else { return nil }
        var recorded = RecordedBody(content: body.bytes, transferred: body.bytes.count, isIncomplete: body.isCut)
        guard let codings, !body.bytes.isEmpty else { return recorded }
        let limit = Self.longestContent
        let decoded = try? await DecodedContent.decode(body.bytes, codings: codings, upTo: limit, isIncomplete: true)
        if let decoded {
            recorded.content = decoded.slice(0..<limit)
            if decoded.count > limit { recorded.isIncomplete = true }
        } else {
            recorded.isCoded = true
        }
        return recorded
    }
}

extension RequestBody {
    /// The bytes of a body that is in memory; nil for any other body, and for none.
    package var bytesInMemory: Bytes? {
        guard !isEmpty, case .bytes(let bytes) = content else { return nil }
        return bytes
    }
}
