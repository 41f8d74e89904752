// PhotoService: the API of the photos, for an app and for a program in a terminal alike.

public import Tsubame

public struct Photo: Codable, Sendable, Identifiable {
    public let id: Int
    public let title: String
    /// Below the API's base URL.
    public let image: String

    public init(id: Int, title: String, image: String) { (self.id, self.title, self.image) = (id, title, image) }
}

/// Fetches photos, and keeps what it fetched.
public struct PhotoService: Sendable {
    private let api: Client

    /// - Parameters:
    ///   - base: the URL of the API.
    ///   - cache: stores the responses. One with a folder still has them after a restart.
    ///   - transport: a `StubTransport` for previews; the default is the built-in engine.
    public init(_ base: String, cache: ResponseCache, transport: (any Transport)? = nil) {
        api = Client(base, transport: transport) {
            $0.cache = .cache(cache)
            // Two views that show the same photo make one request.
            $0.traffic.coalescesEqualRequests = true
            $0.timeouts.total = .seconds(30)
        }
    }

    /// The photos as they were last fetched, without the network; nil if none are stored.
    public func storedPhotos() async -> [Photo]? {
        var request = Request(.get, "photos")
        request.cachePolicy = .onlyStored
        return try? await api.send(request).json([Photo].self)
    }

    public func photos() async throws(CallError) -> [Photo] {
        try await api.get("photos").json([Photo].self)
    }

    /// A stored image of any age is good enough. The request ends with the caller's task.
    public func image(of photo: Photo) async throws(CallError) -> Response {
        var request = Request(.get, path: photo.image)
        request.cachePolicy = .preferStored
        return try await api.send(request).accepted()
    }
}
