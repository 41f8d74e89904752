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
        let isWhole = state == .finished || attempt.events.upperBound < self.events.count
        let requestBody = await recorded(
            attempt.requestBody
                ?? (hasBodies ? request.body.bytesInMemory.map { Body($0) } : nil),
            codings: request.headers[.contentEncoding], isWhole: isWhole)
        let started = Date(timeIntervalSince1970: (self.started + Double(first) / 1e6) / 1000)
        var entry: HTTPArchive.Entry
        if let response {
            let body = await recorded(
                attempt.responseBody, codings: response.wire[.contentEncoding], isWhole: isWhole)
            let base = response.timings.start
            entry = HTTPArchive.Entry(
                RecordedExchange(
                    request: request, requestFields: fields(of: request, in: events), requestBody: requestBody,
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
                    headers: fields(of: request, in: events).map { HTTPArchive.Pair($0.name.rawName, $0.value) },
                    postData: requestBody.map {
                        HTTPArchive.PostData($0, type: request.headers[.contentType] ?? request.body.contentType ?? "")
                    }),
                response: HTTPArchive.Response(status: 0))
            entry.timings.wait = Double((end - min(first, end)) / 1000) / 1000
        }
        if requestBody == nil, !request.body.isEmpty {
            entry.request.bodySize = request.body.length.map { Int(clamping: $0) } ?? -1
        }
        if request.uri == nil || entry.request.method != request.shownMethod {
            (entry.request.url, entry.request.method) = (request.shownURL, request.shownMethod)
            entry.update()
        }
        if let failure { entry.comment = "\(failure.kind.rawValue): \(failure.reason)" }
        return entry
    }

    /// The fields as they go over the network. The calls of other programs have them already.
    private func fields(of request: Request, in events: ArraySlice<Event>) -> [HTTPField] {
        guard client > 0 else { return Array(request.headers) }
        var version: HTTPVersion?
        for event in events {
            switch event.kind {
            case .connected(let info), .secured(let info), .reused(let info): version = info.version
            default: break
            }
        }
        return version.map { SentHead.fields(of: request, $0) } ?? Array(request.headers)
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
    /// - Parameter isWhole: whether the body has come to its end.
    private func recorded(_ body: Body?, codings: String?, isWhole: Bool) async -> RecordedBody? {
        guard let body else { return nil }
        let bytes = body.bytes
        var recorded = RecordedBody(content: bytes, transferred: bytes.count, isIncomplete: body.isCut)
        let goesOn = body.isCut || !isWhole
        guard let codings, !bytes.isEmpty else {
            if goesOn { recorded.content = bytes.withoutPartialCharacter }
            return recorded
        }
        let limit = Self.longestContent
        let decoded = try? await DecodedContent.decode(bytes, codings: codings, upTo: limit, isIncomplete: true)
        if let decoded {
            let isLonger = decoded.count > limit
            recorded.content = goesOn || isLonger ? decoded.slice(0..<limit).withoutPartialCharacter : decoded
            if isLonger { recorded.isIncomplete = true }
        } else {
            recorded.isCoded = true
        }
        return recorded
    }
}

extension Bytes {
    /// The bytes without the beginning of a UTF-8 character at their end. A text that is cut there is still text.
    fileprivate var withoutPartialCharacter: Bytes {
        let tail = slice(Swift.max(count - 3, 0)..<count)
        return tail.withUnsafeBytes { tail in
            for (back, byte) in tail.reversed().enumerated() {
                let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : byte >= 0x80 ? 0 : 1
                if length > back + 1 { return slice(0..<count - back - 1) }
                if length > 0 { break }
            }
            return self
        }
    }
}

extension RequestBody {
    /// The bytes of a body that is in memory; nil for any other body, and for none.
    package var bytesInMemory: Bytes? {
        guard !isEmpty, case .bytes(let bytes) = content else { return nil }
        return bytes
    }
}
