"""The pictures of docs/blender-addon.md, by Blender itself, from an empty file to the finished shot:

    ./run build && ./run addon && examples/blender/tutorial.sh docs/figures

Every step is what an artist does there, by the same operators."""
import os
import pathlib
import sys
import traceback

import bpy
from mathutils import Vector

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
ZIP, OUT = sys.argv[sys.argv.index("--") + 1 :]
FRAMES = (5, 9, 12, 18, 21)  # of the finished shot, side by side


def area_of(kind="VIEW_3D"):
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == kind)
    return window, area, next(region for region in area.regions if region.type == "WINDOW")


def inside(kind="VIEW_3D"):
    window, area, region = area_of(kind)
    return bpy.context.temp_override(window=window, area=area, region=region)


def arrange():
    """One view with its sidebar open on our tab, and a timeline."""
    window, area, _ = area_of()
    space = area.spaces.active
    space.show_region_ui, space.show_region_toolbar = True, False
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.shading.color_type, space.shading.show_cavity = "MATERIAL", True
    space.region_3d.view_location = Vector((0, 0.05, 0.72))
    space.region_3d.view_distance = 3.2
    space.region_3d.view_rotation = Vector((-1.0, 0.75, -0.25)).to_track_quat("-Z", "Y")
    space.show_gizmo = False


def open_tab():
    """A click on the lowest of the sidebar's tabs, which is ours."""
    window, area, _ = area_of()
    place = {"x": area.x + area.width - 10, "y": area.y + area.height - 230}
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", **place)
    yield
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type="LEFTMOUSE", value=value, **place)
        yield


def shoot(name):
    window, area, region = area_of()
    path = f"{OUT}/{name}.png"
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.screen.screenshot_area(filepath=path)
    picture = bpy.data.images.load(path)
    settings = bpy.context.scene.render.image_settings
    settings.file_format, settings.quality = "JPEG", 88
    bpy.context.scene.view_settings.view_transform = "Standard"
    picture.save_render(f"{OUT}/{name}.jpg", scene=bpy.context.scene)
    bpy.data.images.remove(picture)
    os.remove(path)


def render_strip(name):
    """The shot before and after: frames side by side, two rows of pictures to be joined by tutorial.sh."""
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.display.shading.color_type, scene.display.shading.show_cavity = "MATERIAL", True
    scene.render.resolution_x = scene.render.resolution_y = 240
    scene.render.image_settings.file_format = "PNG"
    scene.world = scene.world or bpy.data.worlds.new("World")
    scene.world.color = (0.86, 0.87, 0.9)
    if scene.camera is None:
        camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        scene.collection.objects.link(camera)
        camera.location, camera.data.lens = (3.4, -2.4, 1.1), 62
        camera.rotation_euler = (Vector((0, 0.05, 0.8)) - camera.location).to_track_quat("-Z", "Y").to_euler()
        camera.hide_viewport = True
        scene.camera = camera
    for frame in FRAMES:
        scene.frame_set(frame)
        scene.render.filepath = f"{OUT}/{name}_{frame:03d}.png"
        bpy.ops.render.render(write_still=True)


def wait_for_the_end(work):
    while work.Current.work is not None:
        yield


def scenario():
    bpy.ops.preferences.addon_install(filepath=ZIP)
    bpy.ops.preferences.addon_enable(module="rigspace_addon")
    import pip_character as pip

    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    yield
    with inside():
        body, rig = pip.build()
    from rigspace_addon import work

    yield
    arrange()
    yield from settle()
    yield from open_tab()
    yield
    bpy.ops.rigspace.set_up()
    yield from settle()
    shoot("addon_1_set_up")
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    with inside():
        bpy.ops.object.mode_set(mode="POSE")
    character = bpy.context.scene.rigspace.characters[0]
    for start in ("ear", "tail", "belly"):
        for bone in rig.pose.bones:
            bone.bone.select = bone.name.startswith(start)
        with inside():
            bpy.ops.rigspace.part_add()
    yield from settle()
    shoot("addon_2_parts")
    render_strip("before")
    with inside():
        bpy.ops.rigspace.simulate("INVOKE_DEFAULT")
    while work.Current.work is not None and work.Current.fraction < 0.45:
        yield
    shoot("addon_3_running")
    yield from wait_for_the_end(work)
    bpy.context.scene.frame_set(18)
    yield from settle()
    shoot("addon_4_layers")
    render_strip("after")
    character.parts[2].amount = 1.6
    character.again_first, character.again_last = 14, 30
    with inside():
        bpy.ops.rigspace.simulate("INVOKE_DEFAULT", range_only=True)
    yield from wait_for_the_end(work)
    yield from settle()
    shoot("addon_5_again")
    bpy.ops.wm.save_as_mainfile(filepath=f"{OUT}/pip.blend", check_existing=False)


def settle():
    for _ in range(5):
        yield


STEPS = scenario()


def tick():
    try:
        next(STEPS)
    except StopIteration:
        os._exit(0)
    except BaseException:  # noqa: BLE001: a window that stays open helps nobody
        traceback.print_exc()
        os._exit(3)
    return 0.1


bpy.app.timers.register(tick, first_interval=1.0, persistent=True)
