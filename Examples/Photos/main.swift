// Photos: a list of photos with their images, on the model that an app would have.
// usage: Photos [URL [FOLDER]]. Without a URL it shows a preview. With a folder, stored photos are shown without a network.

import Foundation
import PhotosModel
import Tsubame
import TsubameTesting

let preview = StubTransport {
    $0.on(.get, "/photos").respond(json: [Photo(id: 1, title: "Nest", image: "images/1")])
    $0.on(.get, "/images/1").respond(text: "an image")
}

func makeService(_ arguments: ArraySlice<String>) throws(CallError) -> PhotoService {
    guard let url = arguments.first else {
        return PhotoService("https://photos.example", cache: ResponseCache(), transport: preview)
    }
    guard let folder = arguments.dropFirst().first else { return PhotoService(url, cache: ResponseCache()) }
    return PhotoService(url, cache: try ResponseCache(folder: folder))
}

do throws(CallError) {
    let service = try makeService(CommandLine.arguments.dropFirst())
    let list = PhotoList(service)
    await list.load()
    if let error = list.error { print("not fetched: \(error)") }
    for photo in list.photos {
        let image = try await service.image(of: photo)
        print("\(photo.id). \(photo.title): \(image.bytes.count) bytes\(image.isFromCache ? ", stored" : "")")
    }
    exit(list.photos.isEmpty ? 1 : 0)
} catch {
    print("not shown: \(error)")
    exit(1)
}
