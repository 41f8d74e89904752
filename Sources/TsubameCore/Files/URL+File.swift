// URL+File: the path of a file URL.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension URL {
    /// The path of a file URL.
    /// - Throws: ``CallError/Kind/misuse`` for any other URL.
    package func filePath() throws(CallError) -> String {
        guard isFileURL else {
            throw CallError(
                .misuse, "\(Redaction.standard.url(absoluteString)) is not a file URL",
                advice: "make one from a path by URL(filePath:)")
        }
        return path
    }
}
