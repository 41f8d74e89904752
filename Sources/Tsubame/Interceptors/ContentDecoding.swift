// ContentDecoding: asks for compressed content and undoes it (RFC 9110 section 8.4).

import HTTPTypes
import TsubameCore
import TsubameWire

/// Whether content codings are asked for and undone.
public enum DecodingPolicy: Sendable, Hashable {
    /// `Accept-Encoding: gzip, deflate` is sent and the answer decoded. A caller who sets Accept-Encoding himself gets
    /// the content as it came.
    case automatic
    /// No content coding is asked for, and none is undone.
    case off
}

final class ContentDecoding: Hook {
    private static let offer = HTTPField(name: .acceptEncoding, value: "gzip, deflate")

    /// Codings on one response.
    private let limit: Int
    /// The fields that most requests come with, and the same with the offer.
    private let preset: HTTPFields
    let offered: HTTPFields

    /// nil if content codings are not to be asked for.
    init?(_ configuration: Configuration, preset: HTTPFields) {
        guard configuration.decoding == .automatic else { return nil }
        limit = configuration.limits.contentCodings
        self.preset = preset
        var offered = preset
        if !preset.contains(.acceptEncoding), !preset.contains(.range) { offered.appendSafely(Self.offer) }
        self.offered = offered
    }

    func willSend(_ request: inout Request) throws(CallError) {
        if SharedFields.isSame(preset, request.headers), !SharedFields.isSame(preset, offered) {
            request.headers = offered
            request.undoesCodings = true
            return
        }
        // Ranges are of the coded content: a part of it cannot be decoded.
        guard !request.headers.contains(.acceptEncoding), !request.headers.contains(.range) else { return }
        request.headers.appendSafely(Self.offer)
        request.undoesCodings = true
    }

    func didReceive(_ response: inout Response) throws(CallError) {
        guard response.headers.contains(.contentEncoding), response.body.bytes.map({ $0.count > 0 }) ?? true,
            response.request.undoesCodings
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
        let codings = names.map(Self.coding)
        // One that was not asked for is left as it is, with its label on.
        guard !codings.isEmpty, codings.allSatisfy({ $0 != nil }) else { return }
        for coding in codings.reversed().compactMap({ $0 }) { response.body.transform(by: InflateTransform(coding)) }
        response.headers.remove(.contentEncoding)
        response.headers.remove(.contentLength)
    }

    private static func coding(_ name: String) -> InflateDecoder.Coding? {
        switch name {
        case "gzip", "x-gzip": .gzip
        case "deflate": .deflate
        default: nil
        }
    }
}

/// The decoder as a transform of a body.
// Used by the one reader of a body.
private final class InflateTransform: BodyTransform, @unchecked Sendable {
    /// What one pull gives at most.
    private static let outputBytes = 64 << 10

    private let decoder: InflateDecoder
    private var input = Bytes()
    private var mayHaveMore = false

    init(_ coding: InflateDecoder.Coding) { decoder = InflateDecoder(coding) }

    func push(_ input: Bytes) { self.input = input }

    func pull() throws(CallError) -> Bytes? {
        guard input.count > 0 || mayHaveMore else { return nil }
        do throws(ContentCodingError) {
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
            // A little output must not keep all the memory that was got for it.
            return output.count < capacity / 4 ? output.copied() : output
        } catch {
            throw CallError(.contentCoding, error.description, phase: .receivingBody, underlying: error)
        }
    }

    func finish() throws(CallError) {
        do throws(ContentCodingError) {
            try decoder.finish()
        } catch {
            throw CallError(.contentCoding, error.description, phase: .receivingBody, underlying: error)
        }
    }
}

extension ReceivedFields {
    fileprivate subscript(name: HTTPField.Name, default value: String) -> String { self[name] ?? value }
}
