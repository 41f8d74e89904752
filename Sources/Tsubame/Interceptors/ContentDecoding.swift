// ContentDecoding: asks for compressed content and undoes it (RFC 9110 section 8.4).

import HTTPTypes
import TsubameCore
import TsubameWire

/// Whether content codings are asked for and undone.
public enum DecodingPolicy: Sendable, Hashable {
    /// `Accept-Encoding: gzip, deflate, br, zstd` is sent and the answer decoded: `br` where the system has libbrotlidec,
    /// `zstd` where it has libzstd, which are looked for once in a process, when its first client is made. A caller who
    /// sets Accept-Encoding himself gets the content as it came; so does one who sets Range, for whom `identity` is asked
    /// for, since a part of coded content cannot be decoded.
    case automatic
    /// No content coding is asked for, and none is undone.
    case off
}

final class ContentDecoding: CallHook {
    private static let offer = HTTPField(name: .acceptEncoding, value: ReceivedCoding.offer)
    private static let none = HTTPField(name: .acceptEncoding, value: "identity")

    /// Codings on one response.
    private let limit: Int
    /// The fields that most requests come with, and the same with the offer.
    private let preset: HTTPFields
    let offered: HTTPFields
    private let undoesOffered: Bool
    private let addsOffer: Bool

    /// nil if content codings are not to be asked for.
    init?(_ configuration: Configuration, preset: HTTPFields) {
        guard configuration.decoding == .automatic else { return nil }
        limit = configuration.limits.contentCodings
        self.preset = preset
        var offered = preset
        undoesOffered = Self.offer(to: &offered)
        self.offered = offered
        addsOffer = !SharedFields.isSame(preset, offered)
    }

    /// Whether what is asked for is to be undone.
    private static func offer(to headers: inout HTTPFields) -> Bool {
        guard !headers.contains(.acceptEncoding) else { return false }
        // Ranges are of the coded content: a part of it cannot be decoded.
        let asksForPart = headers.contains(.range)
        headers.appendSafely(asksForPart ? none : offer)
        return !asksForPart
    }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {
        if addsOffer, SharedFields.isSame(preset, request.headers) {
            request.headers = offered
            request.undoesCodings = undoesOffered
        } else if Self.offer(to: &request.headers) {
            request.undoesCodings = true
        }
    }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) {
        // A part that nobody asked for is one of the coded content all the same.
        guard response.headers.contains(.contentEncoding), response.body.bytes.map({ $0.count > 0 }) ?? true,
            response.request.undoesCodings, response.statusCode != 206
        else { return }
        let names = response.headers[.contentEncoding, default: ""].split(separator: ",").map {
            $0.lowercased().filter { !$0.isWhitespace }
        }.filter { !$0.isEmpty && $0 != "identity" }
        guard names.count <= limit else {
            response.body.discard()
            throw CallError(
                .limitExceeded, "\(names.count) content codings, and \(limit) are allowed",
                phase: .receivingBody, request: response.request)
        }
        let codings = names.compactMap { ReceivedCoding(named: $0) }
        // One that was not asked for is left as it is, with its label on.
        guard !codings.isEmpty, codings.count == names.count else { return }
        for coding in codings.reversed() { response.body.transform(by: DecodingTransform(coding), for: call) }
        response.headers.remove(.contentEncoding)
        response.headers.remove(.contentLength)
    }
}

/// The decoder as a transform of a body.
// Used by the one reader of a body.
private final class DecodingTransform: BodyTransform, @unchecked Sendable {
    /// What one pull gives at most.
    private static let outputBytes = 64 << 10
    /// Input that brings not one byte of output ends the body beyond this: padding, empty members of gzip and skippable
    /// frames of zstd can follow each other without end.
    private static let barrenBytes = 1 << 20

    private let coding: ReceivedCoding
    /// Made when there is something to decode: many a body, such as a redirect's, is never read.
    private var made: (any ContentDecoder)?
    private var input = Bytes()
    private var mayHaveMore = false
    /// Consumed since the last output.
    private var barren = 0

    init(_ coding: ReceivedCoding) { self.coding = coding }

    func push(_ input: Bytes) { self.input = input }

    func pull() throws(CallError) -> Bytes? {
        guard input.count > 0 || mayHaveMore else { return nil }
        do throws(ContentCodingError) {
            let decoder = try decoder()
            var consumed = 0
            let capacity = Swift.min(Swift.max(input.count * 4, 4 << 10), Self.outputBytes)
            let output = try Bytes(capacity: capacity) { target throws(ContentCodingError) in
                try input.withUnsafeBytes { source throws(ContentCodingError) in
                    try decoder.decode(into: target, from: source, inputConsumed: &consumed)
                }
            }
            // Neither taken nor given: the decoder waits for more input.
            let stands = consumed == 0 && output.count == 0
            input = stands ? Bytes() : input.slice(consumed..<Swift.max(consumed, input.count))
            mayHaveMore = decoder.mayHaveMore && output.count == capacity
            barren = output.count == 0 ? barren + consumed : 0
            guard barren <= Self.barrenBytes else {
                throw ContentCodingError(coding: coding.rawValue, reason: .noContent(after: barren))
            }
            // A little output must not keep all the memory that was got for it.
            return output.count < capacity / 4 ? output.copied() : output
        } catch {
            throw CallError(.contentCoding, error.description, phase: .receivingBody, underlying: error)
        }
    }

    private func decoder() throws(ContentCodingError) -> any ContentDecoder {
        if let made { return made }
        let decoder = try coding.decoder()
        made = decoder
        return decoder
    }

    func finish() throws(CallError) {
        do throws(ContentCodingError) {
            try made?.finish()
        } catch {
            throw CallError(.contentCoding, error.description, phase: .receivingBody, underlying: error)
        }
    }
}

extension ReceivedFields {
    fileprivate subscript(name: HTTPField.Name, default value: String) -> String { self[name] ?? value }
}
