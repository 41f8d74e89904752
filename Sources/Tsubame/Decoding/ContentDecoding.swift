// ContentDecoding: offers content codings and decodes the content of responses (RFC 9110 section 8.4).

import HTTPTypes
import TsubameCore
import TsubameWire

final class ContentDecoding: ChainStep {
    private static let offer = HTTPField(name: .acceptEncoding, value: ReceivedCoding.offer)
    private static let none = HTTPField(name: .acceptEncoding, value: "identity")

    /// The most content codings that one response may have.
    private let limit: Int
    /// The headers with which most requests start, and the same headers with the offer.
    private let preset: HTTPFields
    let offered: HTTPFields
    private let undoesOffered: Bool
    private let addsOffer: Bool

    /// nil if the configuration turns decoding off.
    init?(_ configuration: Configuration, preset: HTTPFields) {
        guard configuration.decoding == .automatic else { return nil }
        limit = configuration.limits.contentCodings
        self.preset = preset
        var offered = preset
        undoesOffered = Self.offer(to: &offered)
        self.offered = offered
        addsOffer = !PreencodedFields.isSame(preset, offered)
    }

    /// Adds the offer, unless the headers have an Accept-Encoding.
    /// - Returns: whether the response must be decoded.
    private static func offer(to headers: inout HTTPFields) -> Bool {
        guard !headers.contains(.acceptEncoding) else { return false }
        // A range counts bytes of the coded content, and a part of coded content cannot be decoded.
        let asksForPart = headers.contains(.range)
        headers.appendSafely(asksForPart ? none : offer)
        return !asksForPart
    }

    /// The codings that a Content-Encoding names, in the order in which they were applied.
    static func names(in value: String) -> [String] {
        value.split(separator: ",").map { $0.lowercased().filter { !$0.isWhitespace } }.filter {
            !$0.isEmpty && $0 != "identity"
        }
    }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {
        if addsOffer, PreencodedFields.isSame(preset, request.headers.fields) {
            request.headers.fields = offered
            request.undoesCodings = undoesOffered
        } else if Self.offer(to: &request.headers.fields) {
            request.undoesCodings = true
        }
    }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        // A 206 that the request did not ask for is also a part of the coded content.
        guard response.headers.contains(.contentEncoding), response.body.bytes.map({ $0.count > 0 }) ?? true,
            response.request.undoesCodings, response.statusCode != 206
        else { return false }
        let names = Self.names(in: response.headers[.contentEncoding, default: ""])
        if let problem = DecodingLimits.problem(ofCodings: names.count, allowed: limit) {
            response.body.discard()
            throw CallError(.limitExceeded, problem, phase: .receivingBody, request: response.request)
        }
        let codings = names.compactMap { ReceivedCoding(named: $0) }
        // If a coding is unknown, the body keeps all of its codings and its Content-Encoding.
        guard !codings.isEmpty, codings.count == names.count else { return false }
        if case .unchanged = response.details.origin {
            response.details = response.details.with(.decoded(response.headers.fields))
        }
        for coding in codings.reversed() { response.body.transform(by: DecodingTransform(coding), for: call) }
        response.headers.remove(.contentEncoding)
        response.headers.remove(.contentLength)
        return false
    }
}

extension ReceivedFields {
    fileprivate subscript(name: HTTPField.Name, default value: String) -> String { self[name] ?? value }
}
