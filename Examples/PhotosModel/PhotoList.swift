// PhotoList: what a list of photos shows.

public import Observation
public import Tsubame

/// Shows stored photos at once, and fetched ones when they have come.
@MainActor @Observable
public final class PhotoList {
    public private(set) var photos: [Photo] = []
    public private(set) var isLoading = false
    /// Why the photos could not be fetched. Stored ones are shown then.
    public private(set) var error: CallError?
    private let service: PhotoService

    public init(_ service: PhotoService) { self.service = service }

    public func load() async {
        isLoading = true
        defer { isLoading = false }
        if photos.isEmpty, let stored = await service.storedPhotos() { photos = stored }
        do throws(CallError) {
            photos = try await service.photos()
            error = nil
        } catch {
            // The view that wanted them has gone.
            if error.kind != .cancelled { self.error = error }
        }
    }
}
