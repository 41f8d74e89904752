// ReceivedCoding: the content codings that can be undone (RFC 9110 section 8.4.1).

/// In the order in which they are offered.
package enum ReceivedCoding: String, Sendable, CaseIterable {
    case gzip, deflate
    /// Brotli (RFC 7932), where libbrotlidec is installed.
    case brotli = "br"
    /// Zstandard (RFC 8878), where libzstd is installed.
    case zstd

    /// What can be undone by this process. The libraries are loaded when it is first asked for, which takes some 0.2 ms
    /// once: a file that lies at the right place may still be one that cannot be used, and what is offered must be true.
    package static let available = allCases.filter(\.isAvailable)

    /// ``available`` as the field Accept-Encoding has it.
    package static let offer = available.map(\.rawValue).joined(separator: ", ")

    /// nil for a coding that is not known, or whose library is not there.
    /// - Parameter name: as Content-Encoding has it, in any case.
    package init?(named name: some StringProtocol) {
        let name = name.lowercased()
        // RFC 9110 section 8.4.1.3.
        guard let coding = name == "x-gzip" ? .gzip : Self(rawValue: name), Self.available.contains(coding) else {
            return nil
        }
        self = coding
    }

    /// Throws if there is no memory for it.
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
