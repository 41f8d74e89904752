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

    /// The path of a file URL, or the text of any other URL, which names no file: reading it fails with an error that shows
    /// the URL.
    package var fileText: String { isFileURL ? path : Redaction.standard.url(absoluteString) }
}
