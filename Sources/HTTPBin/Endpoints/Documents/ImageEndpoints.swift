// ImageEndpoints: /image, /image/{format} and /static/favicon.ico, a swallow in several formats.
#if Server
import HTTPTypes
import HummingbirdCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

enum ImageEndpoints {
    static let routes = [
        Route("/image", "an image of the first type of WebP, SVG, JPEG and PNG that Accept names; 406 without any") {
            try negotiated($0)
        },
        Route("/image/png", "an image as PNG") { _ in try png.answer() },
        Route("/image/jpeg", "an image as JPEG") { _ in try jpeg.answer() },
        Route("/image/webp", "an image as WebP") { _ in try webp.answer() },
        Route("/image/svg", "an image as SVG") { _ in try svg.answer() },
        Route("/static/favicon.ico", "an image as icon") { _ in try icon.answer() },
    ]

    private struct Image {
        let type: String
        let bytes: [UInt8]

        func answer() throws -> Response { try Reply.bytes(bytes, type: type) }
    }

    private static let png = Image(type: "image/png", bytes: decoded(ImageTableData.png))
    private static let jpeg = Image(type: "image/jpeg", bytes: decoded(ImageTableData.jpeg))
    private static let webp = Image(type: "image/webp", bytes: decoded(ImageTableData.webp))
    private static let svg = Image(type: "image/svg+xml", bytes: Array(ImageTableData.svg.utf8))
    private static let icon = Image(type: "image/vnd.microsoft.icon", bytes: decoded(ImageTableData.icon))

    private static func decoded(_ base64: String) -> [UInt8] { Data(base64Encoded: base64).map(Array.init) ?? [] }

    /// Like httpbin, this looks for each media type anywhere in the field, in this order, and ignores weights.
    private static func negotiated(_ exchange: Exchange) throws -> Response {
        guard let accept = exchange.field(.accept)?.lowercased() else { return try png.answer() }
        for image in [webp, svg, jpeg, png] where accept.contains(image.type) { return try image.answer() }
        return accept.contains("image/*") ? try png.answer() : try StatusEndpoints.answer(406)
    }
}

#endif
