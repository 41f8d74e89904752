// ReceivedCoding: a content coding that the client can decode (RFC 9110 section 8.4.1).

/// The cases are in the order in which they are offered.
package enum ReceivedCoding: String, Sendable, CaseIterable {
    case gzip, deflate
    /// Brotli (RFC 7932), if libbrotlidec is installed.
    case brotli = "br"
    /// Zstandard (RFC 8878), if libzstd is installed.
    case zstd

    /// The codings that this process can decode. The libraries are loaded at the first access, which takes about 0.2 ms
    /// once. An installed file may still be unusable, and the client must offer only codings that it can decode.
    package static let available = allCases.filter(\.isAvailable)

    /// ``available`` as the value of the field Accept-Encoding.
    package static let offer = available.map(\.rawValue).joined(separator: ", ")

    /// nil if the coding is unknown or its library is not installed.
    /// - Parameter name: the name in Content-Encoding, in any case.
    package init?(named name: some StringProtocol) {
        let name = name.lowercased()
        // RFC 9110 section 8.4.1.3: `x-gzip` is equivalent to `gzip`.
        guard let coding = name == "x-gzip" ? .gzip : Self(rawValue: name), Self.available.contains(coding) else {
            return nil
        }
        self = coding
    }

    /// Throws if there is not enough memory.
    package func decoder() throws(ContentCodingError) -> any ContentDecoder {
        let decoder: (any ContentDecoder)? =
            switch self {
            case .gzip: InflateDecoder(.gzip)
            case .deflate: InflateDecoder(.deflate)
            case .brotli: BrotliDecoder()
            case .zstd: ZstandardDecoder()
            }
        guard let decoder else { throw ContentCodingError(coding: rawValue, reason: .outOfMemory) }
        return decoder
    }

    private var isAvailable: Bool {
        switch self {
        case .gzip, .deflate: true
        case .brotli: BrotliDecoder.isAvailable
        case .zstd: ZstandardDecoder.isAvailable
        }
    }
}
