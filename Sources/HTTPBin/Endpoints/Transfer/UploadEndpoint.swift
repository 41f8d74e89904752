// UploadEndpoint: /upload, which counts the bytes of a body of any length.
#if Server
import HummingbirdCore
import NIOCore

enum UploadEndpoint {
    static let routes = [
        Route("/upload", "the number of bytes in the body, of any length", methods: .only(["POST", "PUT", "PATCH"])) {
            exchange in
            var count = 0
            for try await buffer in exchange.request.body { count &+= buffer.readableBytes }
            return try Reply.json(["bytes": JSON(count)])
        }
    ]
}

#endif
