// PEM: reads certificates from text (RFC 7468).

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

package enum PEM {
    /// The DER of every certificate in the text. Other content is left out.
    package static func certificates(in text: String) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var base64: [UInt8]?
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if line.elementsEqual("-----BEGIN CERTIFICATE-----".utf8) {
                base64 = []
            } else if line.elementsEqual("-----END CERTIFICATE-----".utf8) {
                if let der = base64.flatMap({ Data(base64Encoded: Data($0)) }) { found.append(Array(der)) }
                base64 = nil
            } else {
                base64?.append(contentsOf: line.lazy.filter { $0 > 0x20 })
            }
        }
        return found
    }
}
